import { spawnSync } from 'node:child_process'
import { createWriteStream, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { pack } from 'tar-stream'
import { afterAll, expect, test } from 'vitest'
import { agentArchive } from './agent.ts'
import { writeEntries } from './archive.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const dir = mkdtempSync(path.join(os.tmpdir(), 'hm-agent-'))
afterAll(() => rmSync(dir, { recursive: true, force: true }))
const agent = path.join(dir, 'hivemind-agent')

/** Starts the unpacked agent with a program as Node.js. */
function start(node: string) {
  const { status, stderr } = spawnSync(path.join(agent, 'start'), [], {
    encoding: 'utf8',
    env: { PATH: '/usr/bin:/bin', NODE: node },
  })
  return { status, stderr }
}

test('the archive has the agent with all its packages, and starts it or says that Node.js is too old', {
  timeout: 120_000,
}, async () => {
  await pipeline(agentArchive(root), createWriteStream(path.join(dir, 'agent.tar.gz')))
  expect(spawnSync('tar', ['xzf', 'agent.tar.gz'], { cwd: dir }).status).toBe(0)
  expect(readdirSync(agent).sort()).toEqual(['apps', 'libs', 'node_modules', 'package.json', 'start'])
  expect(existsSync(path.join(agent, 'node_modules/@node-red/runtime/LICENSE'))).toBe(true)
  expect(readdirSync(path.join(agent, 'apps')).sort()).toEqual(['edge-agent', 'function-host'])
  const host = path.join(agent, 'apps/function-host/bin/hivemind-function-host.mjs')
  const { stderr } = spawnSync(process.execPath, [host, '--config', path.join(dir, 'none.json')], {
    encoding: 'utf8',
  })
  expect(stderr).toMatch(/none\.json/)
  expect(start(process.execPath)).toMatchObject({
    status: 3,
    stderr: expect.stringMatching(/^Missing or wrong: broker/),
  })
  // a device of another architecture has none of the machine code
  for (const scope of ['@lmdb', '@cbor-extract', '@msgpackr-extract'])
    rmSync(path.join(agent, 'node_modules', scope), { recursive: true, force: true })
  expect(start(process.execPath).stderr).toMatch(/^Missing or wrong: broker/)
  const old = path.join(dir, 'node-22')
  writeFileSync(old, '#!/bin/sh\nexit 1\n', { mode: 0o755 })
  for (const node of [old, '/nowhere/node'])
    expect(start(node)).toMatchObject({
      status: 3,
      stderr: expect.stringContaining('needs Node.js 24.5 or newer'),
    })
})

test('a file that cannot be read fails the archive', async () => {
  await expect(writeEntries(pack(), new Map([['/gone', { file: path.join(dir, 'gone') }]]))).rejects.toThrow(
    'ENOENT',
  )
})

test('an installation without what the agent needs is named', () => {
  expect(() => agentArchive(dir)).toThrow(
    /There is no apps\/edge-agent in .*: start the service from a whole copy/,
  )
})
