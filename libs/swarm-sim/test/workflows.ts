/** Small workflows and fleets for the tests of this room. */
import {
  constant,
  type Distribution,
  type Fleet,
  localFleet,
  type Profile,
  type TierProfile,
} from '@hivemind/swarm'
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

export function tier(
  serviceMs: Distribution | number,
  outputBytes = 0,
  outputsPerInvocation = 1,
): TierProfile {
  return {
    serviceMs: typeof serviceMs === 'number' ? constant(serviceMs) : serviceMs,
    outputBytes: constant(outputBytes),
    outputsPerInvocation,
  }
}

export function profileOf(tasks: Record<string, TierProfile>): Profile {
  return {
    schema: 'hivemind.profile/1',
    note: 'for a test',
    tasks: Object.fromEntries(
      Object.entries(tasks).map(([name, each]) => [name, { origin: 'measured', cloud: each, edge: each }]),
    ),
  }
}

/** A fleet in which everything that is not asked for costs nothing. */
export function plainFleet(
  devices: number,
  given: {
    awaitsArrival?: boolean
    cores?: number
    host?: number
    link?: Partial<Fleet['uplink']>
    cloud?: Partial<Fleet['cloud']>
  } = {},
): Fleet {
  const { host: _, ...fleet } = localFleet(devices)
  return {
    ...fleet,
    ...(given.host && { host: { cores: given.host, sources: [] } }),
    devices: fleet.devices.map((group) => ({
      ...group,
      class: {
        ...group.class,
        processPerTask: false,
        awaitsArrival: given.awaitsArrival ?? false,
        cores: given.cores ?? 1,
      },
    })),
    uplink: { ...fleet.uplink, kind: 'wireless', bandwidthMbps: 8000, delayMs: 0, ...given.link },
    cloud: {
      ...fleet.cloud,
      servers: 1,
      coresPerServer: 1000,
      coldStartMs: 0,
      dispatchMs: 0,
      keepAliveS: 20,
      handOver: { fixedMs: 0, bandwidthMBps: 1e6 },
      ...given.cloud,
    },
  }
}
