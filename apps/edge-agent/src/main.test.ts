import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'

const agent = fileURLToPath(new URL('../bin/hivemind-edge-agent.mjs', import.meta.url))
const dir = mkdtempSync(path.join(tmpdir(), 'hivemind-agent-'))
afterAll(() => rmSync(dir, { recursive: true, force: true }))

const start = (...args: string[]) => {
  const { status, stderr } = spawnSync(process.execPath, [agent, ...args], {
    encoding: 'utf8',
    timeout: 20_000,
  })
  return { status, stderr: stderr.trim() }
}

test('wrong configurations end it with one sentence', () => {
  const file = path.join(dir, 'agent.json')
  expect(start()).toEqual({ status: 3, stderr: 'Usage: hivemind-edge-agent --config FILE' })
  expect(start('--config', file).stderr).toMatch(/cannot be read/)
  writeFileSync(file, '{')
  expect(start('--config', file).stderr).toMatch(/is not valid JSON/)
  writeFileSync(file, '{"device": "d1", "deviceIndex": 0, "flow": []}')
  expect(start('--config', file)).toEqual({
    status: 3,
    stderr: `The agent's configuration '${file}' lacks or has wrong: gateway.host, gateway.port, plan, bundleDirs, userDir.`,
  })
})
