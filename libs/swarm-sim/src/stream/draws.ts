/** What the tasks of a stream take, drawn beforehand and kept: candidates under equal luck draw the same. */
import type { TaskWiring } from '../model/wiring.ts'
import { type Sampler, sample } from '../random.ts'

/** Draws of a task at most, and of all tasks of a run, which is as much as is kept: 4 MB and 32 MB. */
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
 * Service times of the invocations of each task, in ms at speed 1: those of lane l from l · invocations on. `null` where they
 * never vary or are too many to be kept.
 */
export function drawsOf(wiring: readonly TaskWiring[]): (Float64Array | null)[] {
  let room = KEPT
  return wiring.map((each) => {
    const count = each.services.length * each.task.invocations
    if (!Number.isNaN(each.service.fixed) || count > Math.min(TABLE, room)) return null
    room -= count
    return tableOf(each, count)
  })
}

function tableOf({ task, service, services }: TaskWiring, count: number): Float64Array {
  const items = task.invocations
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
