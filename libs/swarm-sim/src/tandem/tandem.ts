/**
 * Queues in series without an event list. Where items pass every queue once, one behind the other, a queue knows all its
 * arrivals before it begins: it is computed in one pass over them (Lindley's recursion), and the departures are the
 * arrivals of the next one. The figures are those of the simulation by events.
 */

import type { Books } from '../figures/books.ts'
import type { Model } from '../model/model.ts'
import { type TaskWiring, wiringOf } from '../model/wiring.ts'
import { ContainerPool, Cores } from '../stations.ts'
import { isStream } from '../stream/stream.ts'
import { Arrivals } from './arrivals.ts'
import { AtOnce } from './at-once.ts'
import { Departure } from './departure.ts'
import { Emission } from './emission.ts'
import type { Flow } from './flow.ts'
import { InCloud } from './in-cloud.ts'
import { ItemsUnderWay } from './items.ts'
import { OnDevices } from './on-devices.ts'
import type { Passage, Place, TandemRun } from './passage.ts'

/** Flows of items between two pauses. */
const FLOWS_A_STEP = 20

/**
 * Whether a model is a stream through a row of tasks, of which no two wait for the same cores, air or containers.
 */
export function isTandem(model: Model): boolean {
  if (!isStream(model)) return false
  const { tasks, link, classes } = model
  const [sensor, ...others] = tasks
  const isRow = others.every(
    (task, at) =>
      task.parents.length === 1 && task.parents[0]?.task === at && task.lanes.length === sensor?.lanes.length,
  )
  if (!isRow || others.length === 0) return false
  const onEdge = others.filter(({ tier }) => tier === 'edge').length
  const ways = tasks.map(({ tier }, at) => [
    tier,
    tasks[at + 1]?.tier ?? (tasks[at]?.returnsResult ? 'cloud' : tier),
  ])
  const up = ways.filter(([from, to]) => from === 'edge' && to === 'cloud').length
  const down = ways.filter(([from, to]) => from === 'cloud' && to === 'edge').length
  return (
    others.length - onEdge <= 1 &&
    (onEdge <= 1 || classes.every(({ serverPerTask }) => serverPerTask)) &&
    (link.shared ? up + down <= 1 : up <= 1 && down <= 1)
  )
}

/** Simulates a model for which `isTandem` holds, in steps of a few milliseconds; with the parts of latencies on demand. */
export function* tandemSteps(model: Model, seed: number, withParts = false): Generator<undefined, Books> {
  const books = new Arrivals(model, withParts)
  const wirings = wiringOf(model, seed)
  const isNamed = wirings.some((wiring) => draws(wiring) || works(wiring))
  const underWay = new ItemsUnderWay(isNamed || model.link.accessPoints > 1, withParts)
  const run: TandemRun = { model, books, underWay }
  const cores = wirings.some(works) ? new Cores(model) : null
  const pool = new ContainerPool(model.cloud, model.tasks.length)
  const [sensor, ...others] = wirings.map((wiring, index): Place => ({ run, index, wiring })) as [
    Place,
    ...Place[],
  ]
  const taskOf = (place: Place): Passage => {
    if (isAtOnce(model, place.wiring)) return new AtOnce(place, pool)
    return cores && works(place.wiring) ? new OnDevices(place, cores) : new InCloud(place, pool)
  }
  const passages = [
    new Departure(sensor),
    ...others.flatMap((place) => [taskOf(place), new Departure(place)]),
  ]
  const emission = new Emission(sensor)
  for (let flow = emission.next(), step = 1; !flow.isEmpty; flow = emission.next(), step++) {
    books.take(passed(flow, passages, 0), underWay)
    if (step % FLOWS_A_STEP === 0) yield
  }
  for (const [at, passage] of passages.entries())
    books.take(passed(passage.rest(), passages, at + 1), underWay)
  books.close(cores?.busy() ?? new Float64Array(model.classOf.length), pool)
  return books
}

/** Whether anything is drawn for its invocations. */
function draws({ service, output }: TaskWiring): boolean {
  return Number.isNaN(service.fixed) || Number.isNaN(output.fixed)
}

/** Whether a task keeps the cores of devices busy. */
function works({ inCloud, isSensor, service }: TaskWiring): boolean {
  return !inCloud && !isSensor && service.fixed !== 0
}

/** Whether a task takes no time at all. */
function isAtOnce({ cloud }: Model, { inCloud, service }: TaskWiring): boolean {
  return service.fixed === 0 && !(inCloud && (cloud.coldStartMs > 0 || cloud.dispatchMs > 0))
}

/** What comes out of a row of passages, from one of them on. */
function passed(entering: Flow, passages: readonly Passage[], from: number): Flow {
  let flow = entering
  for (let at = from; at < passages.length; at++) flow = (passages[at] as Passage).take(flow)
  return flow
}
