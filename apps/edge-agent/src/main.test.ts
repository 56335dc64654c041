/** The agent as a process: what it says of its sandbox before anything else. */
import { spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, it } from 'vitest'

const program = fileURLToPath(new URL('../bin/hivemind-edge-agent.mjs', import.meta.url))
const folder = mkdtempSync(path.join(os.tmpdir(), 'hivemind-agent-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
writeFileSync(path.join(folder, 'bwrap'), '#!/bin/sh\nexit 1\n')
chmodSync(path.join(folder, 'bwrap'), 0o755)

/** The first line that an agent prints on a device whose bubblewrap does not work. */
async function firstLine(mode: string): Promise<string> {
  const options = [
    '--broker',
    'mqtt://127.0.0.1:1',
    '--fleet',
    'f',
    '--device',
    'd1',
    '--class',
    'c',
    '--token',
    't',
  ]
  const child = spawn(process.execPath, [program, ...options, '--dir', path.join(folder, 'd1')], {
    env: { PATH: `${folder}:${process.env.PATH}`, HIVEMIND_SANDBOX: mode },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  try {
    return await new Promise((resolve) => {
      let said = ''
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (chunk: Buffer) => {
          said += chunk
          if (said.includes('\n')) resolve(said.split('\n', 1)[0] ?? '')
        })
    })
  } finally {
    child.kill('SIGKILL')
    await new Promise((resolve) => child.once('close', resolve))
  }
}

it.each([
  ['auto', /^d1: task code runs without a sandbox: bubblewrap cannot make a sandbox here .* to fix it, /],
  ['required', /^d1: no task code runs: bubblewrap cannot make a sandbox here /],
  ['off', /^d1: task code runs without a sandbox \(HIVEMIND_SANDBOX is off\)$/],
  ['maybe', /^HIVEMIND_SANDBOX is 'maybe': give one of auto, required, off\.$/],
])('says what becomes of task code: %s', async (mode, line) => {
  expect(await firstLine(mode)).toMatch(line)
})
