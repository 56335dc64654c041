/** A shipped fleet as one of the compared systems has it. */
import type { Fleet } from '@hivemind/swarm'
import { classOf, type FleetName, type Inputs, shipped } from './parameters.ts'

/** Which parts of HiveMind a system has (sections 4.2 to 4.5). */
export interface System {
  /** Where tasks run that may run on either side; `hybrid` is HiveMind's choice. */
  placement: 'cloud' | 'edge' | 'hybrid'
  /** HiveMind's scheduler, which keeps idle containers (4.3). */
  scheduler: boolean
  /** The fabric takes over the servers' ends of remote calls (4.5). */
  rpc: boolean
  /** Hand-over between functions by remote memory (4.4). */
  remoteMemory: boolean
}

const BARE = { scheduler: false, rpc: false, remoteMemory: false }

/** The compared systems: of sections 2.3 and 5.1, and what Fig. 13 leaves out of them. */
export const SYSTEMS = {
  centralised: { placement: 'cloud', ...BARE },
  distributed: { placement: 'edge', ...BARE },
  hivemind: { placement: 'hybrid', scheduler: true, rpc: true, remoteMemory: true },
  centralisedRpc: { placement: 'cloud', ...BARE, rpc: true },
  centralisedRpcMemory: { placement: 'cloud', ...BARE, rpc: true, remoteMemory: true },
  distributedRpc: { placement: 'edge', ...BARE, rpc: true },
  hivemindNoFabric: { placement: 'hybrid', ...BARE, scheduler: true },
  hivemindNoRpc: { placement: 'hybrid', scheduler: true, rpc: false, remoteMemory: true },
  hivemindNoMemory: { placement: 'hybrid', scheduler: true, rpc: true, remoteMemory: false },
} as const satisfies Record<string, System>

/** The name of a system. */
export type SystemName = keyof typeof SYSTEMS

/**
 * What a call between device and cloud costs beside the air: the device's end takes half of a call between two servers, at the
 * speed of its core; behind the router comes the software of the cloud, which the fabric replaces. Devices have no fabric.
 */
export function callCost(
  { callMs, callMBps, ingestMs, ingestMBps }: Inputs,
  deviceSpeed: number,
  rpc: boolean,
): { fixedMs: number; bandwidthMBps: number } {
  const msPerMB = 1000 / (2 * callMBps * deviceSpeed) + (rpc ? 0 : 1000 / ingestMBps)
  return { fixedMs: callMs / 2 / deviceSpeed + (rpc ? 0 : ingestMs), bandwidthMBps: 1000 / msPerMB }
}

/** A shipped fleet with these inputs, as one of the systems has it. */
export function fleetFor(
  inputs: Inputs,
  name: FleetName,
  { scheduler, rpc, remoteMemory }: System = SYSTEMS.centralised,
): Fleet {
  const fleet = shipped(name)
  const cpuSpeed = name === 'paper-drones' ? inputs.droneSpeed : inputs.carSpeed
  const { power, radio } = classOf(fleet)
  const drone = {
    power: { ...power, computeW: inputs.computeW },
    radio: { ...radio, txJPerMB: inputs.txJPerMB },
  }
  return {
    ...fleet,
    devices: fleet.devices.map((group) => ({
      ...group,
      class: { ...group.class, cpuSpeed, ...(name === 'paper-drones' ? drone : {}) },
    })),
    uplink: {
      ...fleet.uplink,
      bandwidthMbps: inputs.routerMbps,
      delayMs: inputs.delayMs,
      rpc: callCost(inputs, cpuSpeed, rpc),
    },
    cloud: {
      ...fleet.cloud,
      coldStartMs: inputs.coldStartMs,
      coldStartSpread: (fleet.cloud.coldStartSpread ?? [1, 1]).map(
        (quantile) => 1 + inputs.startSpread * (quantile - 1),
      ),
      keepAliveS: scheduler ? inputs.keepAliveS : 0,
      dispatchMs: inputs.dispatchMs * (scheduler ? inputs.schedulerRatio : 1),
      handOver: remoteMemory
        ? { kind: 'remote-memory', fixedMs: inputs.memoryMs, bandwidthMBps: inputs.memoryMBps }
        : {
            kind: 'store',
            fixedMs: inputs.storeMs,
            bandwidthMBps: inputs.storeMBps,
            ...(inputs.storeShared >= 0.5 ? { isShared: true } : {}),
          },
    },
  }
}
