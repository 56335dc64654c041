/** What the parts of a simulated run share. */
import type { Devices } from '../devices/devices.ts'
import type { Faults } from '../faults.ts'
import type { Statistics } from '../figures/statistics.ts'
import type { Timeline } from '../figures/timeline.ts'
import type { Tracer } from '../figures/trace.ts'
import type { Model } from '../model/model.ts'
import type { TaskWiring } from '../model/wiring.ts'
import type { Acknowledgements } from './acknowledgements.ts'
import type { Agenda } from './agenda.ts'
import type { ContainerPool } from './container-pool.ts'
import type { DeviceBacklog } from './device-backlog.ts'
import type { DeviceServers } from './device-servers.ts'
import type { HostWork } from './host-work.ts'
import type { Rounds } from './learning.ts'
import type { NodeLinks } from './node-links.ts'
import type { Sensors } from './sensors.ts'
import type { Origins, Tokens } from './tokens.ts'
import type { Uplink } from './uplink.ts'
import type { Watch } from './watch.ts'

export interface Context {
  model: Model
  wiring: TaskWiring[]
  agenda: Agenda
  watch: Watch
  tokens: Tokens
  origins: Origins
  sensors: Sensors
  statistics: Statistics
  servers: DeviceServers
  pool: ContainerPool
  uplink: Uplink
  faults: Faults
  /** Only of a fleet with edge nodes. */
  nodeLinks: NodeLinks | null
  /** Only of devices and a cloud that share one computer. */
  host: HostWork | null
  /** Only of devices that wait until their outputs have arrived. */
  acknowledgements: Acknowledgements | null
  /** Only of devices whose sensors wait for the tasks beside them. */
  backlog: DeviceBacklog | null
  /** Only when devices can go down. */
  devices: Devices | null
  /** Only when models are retrained. */
  learning: Rounds | null
  /** Only when the run over time is asked for. */
  timeline: Timeline | null
  /** Only when items are traced. */
  tracer: Tracer | null
}

/** Settles the items that an invocation has worked on: where the time went until now. */
export function settle({ statistics, agenda, origins, tokens }: Context, token: number): void {
  const origin = tokens.origin(token)
  if (origin >= 0) settleItem(statistics, agenda.now, origin, tokens, token)
  else for (const each of origins.listOf(origin)) settleItem(statistics, agenda.now, each, tokens, token)
}

/** Settles the items of an output that no task on the devices or for each item works on: they end when it is delivered. */
export function settleUnprocessed({ statistics, agenda, origins, tokens }: Context, token: number): void {
  for (const each of origins.listOf(tokens.origin(token)))
    if (!statistics.isSettled(each)) settleItem(statistics, agenda.now, each, tokens, token)
}

function settleItem(
  statistics: Statistics,
  now: number,
  item: number,
  { times }: Tokens,
  token: number,
): void {
  // network, management, data exchange and execution are the first four columns
  const row = token << 3
  statistics.settle(
    item,
    now,
    times[row] as number,
    times[row + 1] as number,
    times[row + 2] as number,
    times[row + 3] as number,
  )
}
