/** Service times drawn beforehand and kept between runs: with one seed, a task draws the same in every placement. */
import { type Sampler, sample } from '../random.ts'

/** Most draws of a task (512 kB): a larger table is out of the caches, and drawing again is as quick as reading it. */
const MAX_TASK_DRAWS = 2 ** 16
/** Most draws of all tasks of a run, and most that are kept (32 MB). */
const MAX_DRAWS = 2 ** 22

/** A task whose times are drawn: `services` are the random streams of its lanes. */
interface Drawn {
  numbers: number
  service: Sampler
  services: Int32Array
}

interface Table {
  /** Draws of each lane. */
  items: number
  draws: Float64Array
}

/** Tables by sampler and by the random stream of the first lane, which depends on seed and task. */
let tables = new WeakMap<Sampler, Map<number, Table>>()
let kept = 0

/**
 * Service times of the invocations of each task, in ms at speed 1: those of lane l from l · numbers on. `null` where they
 * never vary or are too many to be kept.
 */
export function drawsOf(wiring: readonly Drawn[]): (Float64Array | null)[] {
  let room = MAX_DRAWS
  return wiring.map((each) => {
    const count = each.services.length * each.numbers
    if (!Number.isNaN(each.service.fixed) || count > Math.min(MAX_TASK_DRAWS, room) || count === 0)
      return null
    room -= count
    return tableOf(each, count)
  })
}

function tableOf({ numbers: items, service, services }: Drawn, count: number): Float64Array {
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
  if (kept > MAX_DRAWS) {
    tables = new WeakMap()
    kept = table.draws.length
  }
  const streams = tables.get(sampler)
  if (streams) streams.set(stream, table)
  else tables.set(sampler, new Map([[stream, table]]))
}
