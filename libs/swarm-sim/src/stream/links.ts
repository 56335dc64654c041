/** The edges of a workflow as columns. */
import type { Link, TaskWiring } from '../model/wiring.ts'

/** Links in columns, those of a task side by side: to children on the same device, in the cloud, and across the uplink. */
export interface Links {
  /** The child of each, and 1 where it takes data. */
  children: Int32Array
  hasData: Uint8Array
  /** For each task its first link of each kind; `wires` has one more, so that the last task has an end. */
  wires: Int32Array
  handOvers: Int32Array
  acrosses: Int32Array
  /** Links of a task at most. */
  most: number
}

export function linksOf(wiring: readonly TaskWiring[]): Links {
  const all: Link[] = []
  const wires: number[] = []
  const handOvers: number[] = []
  const acrosses: number[] = []
  for (const { wire, handOver, across } of wiring) {
    wires.push(all.length)
    handOvers.push(all.push(...wire))
    acrosses.push(all.push(...handOver))
    all.push(...across)
  }
  wires.push(all.length)
  return {
    children: Int32Array.from(all, ({ child }) => child),
    hasData: Uint8Array.from(all, ({ data }) => Number(data)),
    wires: Int32Array.from(wires),
    handOvers: Int32Array.from(handOvers),
    acrosses: Int32Array.from(acrosses),
    most: Math.max(
      ...wiring.map(({ wire, handOver, across }) => wire.length + handOver.length + across.length),
    ),
  }
}
