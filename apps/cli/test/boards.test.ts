/** `--board`: what is refused without a board that runs. `libs/fabric/test/tier.hdl.test.ts` has boards. */
import path from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { exit, hivemind, killRunning } from './command.ts'

afterAll(killRunning)

const field = path.resolve(import.meta.dirname, '../../../examples/sensor-field')

it.each([
  ['all-fabric', [], "Fleet 'local' has no fabric. Give it boards with --board FOLDER"],
  [
    'average=fabric',
    [],
    "Task 'average' cannot run on the fabric: fleet 'local' has none.\nGive the fleet boards",
  ],
  ['average=fabric', ['--board', '/nowhere'], 'no board runs there; `hivemind fabric sim` runs one'],
])('a run with %s %j is refused', { timeout: 120_000 }, async (placement, more, sentence) => {
  const { code, stderr } = await hivemind('run', field, '--placement', placement, ...more)
  expect(stderr).toContain(sentence)
  expect(code).toBe(more.length > 0 ? exit.other : exit.workflow)
})
