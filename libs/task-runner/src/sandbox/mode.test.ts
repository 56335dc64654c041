/** What becomes of task code where there is no sandbox, by the setting. */
import { execFile } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, expect, it } from 'vitest'
import { hostEnvironment, sandboxModeIn } from './mode.ts'

const folder = mkdtempSync(path.join(os.tmpdir(), 'hivemind-no-sandbox-'))
afterAll(() => rmSync(folder, { recursive: true }))
writeFileSync(
  path.join(folder, 'bwrap'),
  '#!/bin/sh\necho "No permissions to create a new namespace" >&2\nexit 1\n',
)
chmodSync(path.join(folder, 'bwrap'), 0o755)

const index = new URL('../index.ts', import.meta.url).href
const dir = fileURLToPath(new URL('../../test/code', import.meta.url))
const script = `import { createTaskRunner } from ${JSON.stringify(index)}
const runner = createTaskRunner(${JSON.stringify({ task: 'work', runtime: 'node', dir, code: 'decides.mjs', args: {}, memoryMB: 512 })})
await runner.warm().then(() => console.log('it runs'), ({ kind, message }) => console.log(kind, message))
await runner.close()`

/** What a process says that runs a task on a machine whose bubblewrap does not work. */
async function warmed(mode: string): Promise<string> {
  const env = { PATH: `${folder}:${process.env.PATH}`, HIVEMIND_SANDBOX: mode }
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], {
    env,
  })
  return stdout.trim()
}

it.each(['auto', 'off'])('runs without a sandbox where there is none: %s', async (mode) => {
  expect(await warmed(mode)).toBe('it runs')
})

it('runs nothing without a sandbox that is required, and says how to get one', async () => {
  const said = await warmed('required')
  expect(said).toMatch(
    /^load Task 'work' does not run without a sandbox: .*No permissions to create a new namespace/,
  )
  expect(said).toContain('kernel.unprivileged_userns_clone=1')
  expect(said).toContain('HIVEMIND_SANDBOX=off')
})

it('knows its three values', () => {
  expect(sandboxModeIn({})).toBe('auto')
  expect(sandboxModeIn({ HIVEMIND_SANDBOX: 'required' })).toBe('required')
  expect(() => sandboxModeIn({ HIVEMIND_SANDBOX: 'yes' })).toThrow(
    "HIVEMIND_SANDBOX is 'yes': give one of auto, required, off.",
  )
})

it('gives nothing secret to the processes that start task code', () => {
  const env = {
    PATH: '/bin',
    HIVEMIND_PASSWORD: 'p',
    DATABASE_URL: 'd',
    HIVEMIND_BROKER_PASSWORD: 'b',
    HIVEMIND_SANDBOX: 'off',
  }
  expect(hostEnvironment(env)).toEqual({ PATH: '/bin', HIVEMIND_SANDBOX: 'off' })
})
