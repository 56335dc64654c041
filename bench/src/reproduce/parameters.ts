/**
 * The one set of inputs that all statements share. The paper gives few of them; the others are assumptions, each with the
 * range that is plausible. None is set for one statement alone.
 */
import type { Cloud, Fleet } from '@hivemind/swarm'
import { fleetByName } from '@hivemind/swarm'

export interface Input {
  what: string
  value: string
  from: string
}

/** Share of a router's nominal 867 Mb/s that carries payload. */
const AIR_EFFICIENCY = 0.7
/** One-way delay in ms. */
const DELAY_MS = 5
/** What a remote call costs its ends in software: TCP, copies, encoding. */
const SOFTWARE_RPC = { fixedMs: 15, bandwidthMBps: 60 }
/** The same on the fabric: the paper's 2.1 us round trip, and the 40 Gb/s of its ports. */
const FABRIC_RPC = { fixedMs: 0.002, bandwidthMBps: 5000 }
const DATABASE = { fixedMs: 40, bandwidthMBps: 50 }
const REMOTE_MEMORY = { fixedMs: 0.002, bandwidthMBps: 5000 }
const COLD_START_MS = 60
const DISPATCH_MS = 10
/** HiveMind's scheduler has slightly more to decide. */
const HIVEMIND_DISPATCH_MS = 11

export const MAX_FRAME_BYTES = 4e6
export const FRAME_BYTES = 2e6
/** Frames a second: of the paper's scenarios, and of its jobs where the network is not to be oversubscribed. */
export const PAPER_FPS = 8
export const LIGHT_FPS = 2
export const JOB_SECONDS = 120

export const INPUTS: Input[] = [
  {
    what: 'drones, servers, routers, battery',
    value: '16, 12 x 40 cores, 2 x 867 Mb/s, 11.1 Wh',
    from: 'paper, 2.1; AR.Drone data sheet',
  },
  {
    what: 'frames of Scenario B on the devices alone, and of Fig. 3b',
    value: `${PAPER_FPS}/s`,
    from: 'paper, 2.1',
  },
  {
    what: 'frames of the jobs and scenarios otherwise',
    value: `${LIGHT_FPS}/s`,
    from: 'assumption, 1-4/s: section 2.2 says that links are not oversubscribed, and 16 drones at 8/s need 118 % of them',
  },
  { what: 'frame of the highest resolution (8 MP)', value: '4 MB', from: 'assumption, 3-8 MB' },
  { what: 'payload on the air', value: '70 % of nominal', from: 'assumption, 50-100 %' },
  { what: 'one-way delay', value: `${DELAY_MS} ms`, from: 'assumption, 1-10 ms' },
  { what: 'remote call in software', value: '15 ms and 60 MB/s', from: 'fitted, 2-30 ms, 50-500 MB/s' },
  {
    what: 'remote call and remote memory on the fabric',
    value: '2 us and 5 GB/s',
    from: 'paper, 4.5 (2.1 us round trip); 40 Gb/s ports, 2.1',
  },
  {
    what: 'hand-over through the database',
    value: '40 ms and 50 MB/s',
    from: 'fitted, 5-60 ms, 50-500 MB/s',
  },
  {
    what: 'start of a container',
    value: `${COLD_START_MS} ms`,
    from: 'fitted, 20 ms (prepared in advance) to 1000 ms',
  },
  {
    what: 'controller and scheduler',
    value: `${DISPATCH_MS} ms, HiveMind's ${HIVEMIND_DISPATCH_MS} ms`,
    from: 'assumption, 1-20 ms; slightly higher: paper, 5.1',
  },
  { what: 'idle containers', value: 'stock: stopped at once; HiveMind: kept 20 s', from: 'paper, 4.3' },
  {
    what: 'a core of a drone against one of a server',
    value: '0.08',
    from: 'assumption, 0.02-0.1 (fleet paper-drones)',
  },
]

/** The compared systems (sections 2.3 and 5.1). */
export type System = 'centralised' | 'distributed' | 'hivemind'

export interface Fabric {
  rpc: boolean
  remoteMemory: boolean
}

function cloudOf(cloud: Cloud, system: System, fabric: Fabric): Cloud {
  const isHiveMind = system === 'hivemind'
  return {
    ...cloud,
    coldStartMs: COLD_START_MS,
    keepAliveS: isHiveMind ? 20 : 0,
    dispatchMs: isHiveMind ? HIVEMIND_DISPATCH_MS : DISPATCH_MS,
    handOver: fabric.remoteMemory ? REMOTE_MEMORY : DATABASE,
  }
}

/** A fleet of the paper as one of the systems has it; HiveMind with its fabric, the others without, unless said. */
export function fleetFor(
  name: 'paper-drones' | 'paper-cars',
  system: System,
  fabric: Fabric = { rpc: system === 'hivemind', remoteMemory: system === 'hivemind' },
): Fleet {
  const fleet = fleetByName(name)
  if (!fleet) throw new Error(`There is no fleet '${name}'.`)
  return {
    ...fleet,
    uplink: {
      ...fleet.uplink,
      bandwidthMbps: fleet.uplink.bandwidthMbps * AIR_EFFICIENCY,
      delayMs: DELAY_MS,
      rpc: fabric.rpc ? FABRIC_RPC : SOFTWARE_RPC,
    },
    cloud: cloudOf(fleet.cloud, system, fabric),
  }
}
