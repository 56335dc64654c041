import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { readOptions } from './options.ts'

const dir = mkdtempSync(path.join(tmpdir(), 'hivemind-agent-'))
afterAll(() => rmSync(dir, { recursive: true, force: true }))

const given = {
  broker: 'mqtt://127.0.0.1:1883',
  fleet: 'f',
  device: 'd1',
  class: 'drone',
  token: 't',
  dir,
}
const args = (options: Record<string, string>) =>
  Object.entries(options).flatMap(([name, value]) => [`--${name}`, value])

test('options come from the command line, from a file, or from both', async () => {
  const expected = { ...given, bound: false }
  expect(await readOptions(args(given))).toEqual(expected)
  const file = path.join(dir, 'agent.json')
  writeFileSync(
    file,
    JSON.stringify({ ...given, lease: 30, 'battery-wh': 11.1, position: '1,2.5', bound: true }),
  )
  expect(await readOptions(['--config', file, '--device', 'd2'])).toEqual({
    ...expected,
    device: 'd2',
    bound: true,
    leaseSeconds: 30,
    battery: { capacityWh: 11.1, idleW: 3, coreW: 1.2 },
    position: { x: 1, y: 2.5 },
  })
})

test('what is missing or wrong is named', async () => {
  await expect(readOptions([])).rejects.toThrow('Missing or wrong: broker, fleet, device, class, token.')
  await expect(readOptions(args({ ...given, device: 'a/b', lease: 'x', position: '1' }))).rejects.toThrow(
    'Missing or wrong: device, lease, position.',
  )
  const untrue = path.join(dir, 'untrue.json')
  writeFileSync(untrue, JSON.stringify({ ...given, ca: 'no certificate' }))
  await expect(readOptions(['--config', untrue])).rejects.toThrow('Missing or wrong: ca.')
  await expect(readOptions(['--colour', 'red'])).rejects.toThrow('--colour')
  await expect(readOptions(['--config', path.join(dir, 'none')])).rejects.toThrow('cannot be read')
  const file = path.join(dir, 'broken.json')
  writeFileSync(file, '{')
  await expect(readOptions(['--config', file])).rejects.toThrow('is not valid JSON')
  writeFileSync(file, '[]')
  await expect(readOptions(['--config', file])).rejects.toThrow('must be a JSON object')
})

test('the program ends with the sentence', () => {
  const program = fileURLToPath(new URL('../bin/hivemind-edge-agent.mjs', import.meta.url))
  const { status, stderr } = spawnSync(process.execPath, [program], { encoding: 'utf8', timeout: 60_000 })
  expect(status).toBe(3)
  expect(stderr).toMatch(/^Missing or wrong: broker/)
})
