/** What the tasks of a stream take, drawn beforehand and kept: candidates under equal luck draw the same. */
import type { TaskWiring } from '../model/wiring.ts'
import { type Sampler, sample } from '../random.ts'

/** Draws of a task at most, and of all tables kept: 4 MB and 32 MB. */
const TABLE = 2 ** 19
const KEPT = 2 ** 22

interface Table {
  /** Draws of each lane. */
  items: number
  draws: Float64Array
}

/** Tables by sampler and by the stream of the first lane, which tells seed and task. */
let tables = new WeakMap<Sampler, Map<number, Table>>()
let kept = 0

/**
 * Service times of a task's invocations, in ms at speed 1: those of lane l from l · invocations on. `null` when they never vary
 * or are too many to be kept.
 */
export function drawsOf({ task, service, services }: TaskWiring): Float64Array | null {
  const items = task.invocations
  const count = services.length * items
  if (!Number.isNaN(service.fixed) || count > TABLE) return null
  const stream = services[0] as number
  const known = tables.get(service)?.get(stream)
  if (known?.items === items && known.draws.length === count) return known.draws
  const draws = new Float64Array(count)
  for (const [lane, each] of services.entries())
    draw(service, each, draws.subarray(lane * items, (lane + 1) * items))
  keep(service, stream, { items, draws })
  return draws
}

function draw(sampler: Sampler, stream: number, into: Float64Array): void {
  for (let seq = 0; seq < into.length; seq++) into[seq] = sample(sampler, stream, seq)
}

function keep(sampler: Sampler, stream: number, table: Table): void {
  kept += table.draws.length
  if (kept > KEPT) {
    tables = new WeakMap()
    kept = table.draws.length
  }
  const streams = tables.get(sampler)
  if (streams) streams.set(stream, table)
  else tables.set(sampler, new Map([[stream, table]]))
}
