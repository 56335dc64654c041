/** Workflows for the tests of this room. */
import type { Directives, Task, Workflow } from '@hivemind/workflow'

interface Given {
  reads?: string[]
  writes?: string | null
  parents?: string[]
  args?: Task['args']
  directives?: Directives
}

/** A workflow from its tasks; children follow from parents. */
export function workflowOf(tasks: Record<string, Given>, more: Partial<Workflow> = {}): Workflow {
  const list = Object.entries(tasks).map(
    ([name, given]): Task => ({
      name,
      dataIn: given.reads ?? [],
      dataOut: given.writes === undefined ? `${name}Out` : given.writes,
      code: `tasks/${name}.py`,
      parents: given.parents ?? [],
      children: Object.entries(tasks).flatMap(([child, { parents }]) =>
        parents?.includes(name) ? [child] : [],
      ),
      args: given.args ?? {},
      directives: given.directives ?? {},
    }),
  )
  const names = new Set(
    list.flatMap((task) => [...task.dataIn, ...(task.dataOut === null ? [] : [task.dataOut])]),
  )
  const data = [...names].map((name) => ({ name, declared: false }))
  return { schema: 'hivemind.workflow/1', tasks: list, data, relations: [], constraints: [], ...more }
}

/** The paper's Listing 3, people recognition (Scenario B). */
export function scenarioB(): Workflow {
  return workflowOf(
    {
      createRoute: { reads: ['inputMap'], writes: 'outputRoute', args: { load_balancer: 'round robin' } },
      collectImage: {
        writes: 'sensorData',
        parents: ['createRoute'],
        args: { speed: '4', resolution: '1024p', colorFormat: 'color' },
      },
      obstacleAvoidance: {
        reads: ['sensorData'],
        writes: 'adjustRoute',
        parents: ['collectImage'],
        args: { algorithm: 'slam' },
        directives: { place: { tier: 'edge', target: 'all' } },
      },
      faceRecognition: {
        reads: ['sensorData'],
        writes: 'recognitionStats',
        parents: ['collectImage'],
        args: { trainingData: 'zoo', algorithm: 'tensorflow_zoo' },
        directives: { learn: 'Global', persist: true },
      },
      deduplication: {
        reads: ['recognitionStats'],
        writes: 'dedupList',
        parents: ['faceRecognition'],
        args: { sync: 'all' },
        directives: { synchronize: { kind: 'all' }, persist: true },
      },
    },
    {
      relations: [
        { kind: 'parallel', a: 'obstacleAvoidance', b: 'faceRecognition' },
        { kind: 'serial', a: 'faceRecognition', b: 'deduplication' },
      ],
    },
  )
}

/** A number generator for tests: the same numbers for the same seed. */
export function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) | 0
    return (state >>> 0) / 2 ** 32
  }
}

/** A random DAG of `count` tasks with roles, pins, barriers and functional units strewn in. */
export function randomWorkflow(seed: number, count: number): Workflow {
  const random = randomOf(seed)
  const given: Record<string, Given> = {}
  for (let i = 0; i < count; i++) {
    const parents = Array.from({ length: i }, (_, at) => `t${at}`).filter(() => random() < 1.5 / count)
    const sensor = parents.length === 0 && random() < 0.7
    const directives: Directives = {}
    if (random() < 0.15)
      directives.place = random() < 0.5 ? { tier: 'cloud' } : { tier: 'edge', target: 'all' }
    if (parents.length > 0 && random() < 0.1) directives.synchronize = { kind: 'all' }
    given[`t${i}`] = {
      reads: sensor ? [] : parents.length > 0 ? parents.map((name) => `${name}Out`) : ['given'],
      parents,
      args: random() < 0.1 ? { role: 'actuator' } : {},
      directives,
    }
  }
  const workflow = workflowOf(given)
  return {
    ...workflow,
    tasks: workflow.tasks.map((task) =>
      random() < 0.1 && task.dataIn.length > 0 ? { ...task, code: 'nfu:average?window=8' } : task,
    ),
  }
}
