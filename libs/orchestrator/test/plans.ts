/** Small workflows for tests that say one thing each, compiled as any other. */
import type { Placement } from '@hivemind/swarm'
import { type Plan, synthesise } from '@hivemind/synthesis'
import type { Task, Workflow } from '@hivemind/workflow'

export interface Sketch {
  /** Parents by name. */
  after?: string[]
  on?: 'edge' | 'edge-node' | 'cloud'
  sensor?: true
  state?: true
  directives?: Task['directives']
}

/** The plan of a workflow, task by task; parents come first. */
export function planOf(sketches: Record<string, Sketch>, relations: Workflow['relations'] = []): Plan {
  const tasks = Object.entries(sketches).map(
    ([name, { after = [], sensor, state, directives = {} }]): Task => ({
      name,
      dataIn: after.map((parent) => `${parent}Out`),
      dataOut: `${name}Out`,
      code: 'nfu:forward',
      parents: after,
      children: Object.keys(sketches).filter((child) => sketches[child]?.after?.includes(name)),
      args: { role: sensor ? 'sensor' : 'compute', ...(state && { state: 'device' }) },
      directives,
    }),
  )
  const workflow: Workflow = {
    schema: 'hivemind.workflow/1',
    tasks,
    data: tasks.map(({ dataOut }) => ({ name: dataOut as string, declared: false })),
    relations,
    constraints: [],
  }
  const placement: Placement = Object.fromEntries(
    Object.entries(sketches).map(([name, { on, sensor }]) => [name, on ?? (sensor ? 'edge' : 'cloud')]),
  )
  return synthesise({ name: 'small', workflow, placement, files: [] }).plan
}
