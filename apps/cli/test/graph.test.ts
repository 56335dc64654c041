/** `hivemind graph`: tasks and edges. */
import { afterAll, expect, it } from 'vitest'
import { exit, helloSwarm, hivemind, json, killRunning } from './command.ts'

afterAll(killRunning)

it('graph prints tasks and edges', async () => {
  const { stdout, code } = await hivemind('graph', helloSwarm)
  expect(code).toBe(exit.fine)
  expect(stdout).toMatch(/readSensor +-> +judge +reading/)
  const graph = json<{ schema: string; tasks: { name: string }[] }>(
    await hivemind('graph', helloSwarm, '--json'),
  )
  expect(graph.schema).toBe('hivemind.workflow/1')
  expect(graph.tasks.map(({ name }) => name)).toEqual(['readSensor', 'judge', 'summary'])
})
