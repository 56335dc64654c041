/**
 * Queues in series without an event list. Where items pass every queue once, one behind the other, a queue knows all its
 * arrivals before it begins: it is computed in one pass over them (Lindley's recursion), and the departures are the
 * arrivals of the next one. The figures are those of the simulation by events.
 */

import { Ledger } from '../figures/outcome.ts'
import { type Model, totalItems } from '../model/model.ts'
import { type TaskWiring, wiringOf } from '../model/wiring.ts'
import { ContainerPool, Cores } from '../stations.ts'
import type { Flow } from './flow.ts'
import { Departure, Emission, InCloud, OnDevices, type Passage, type TandemRun } from './passages.ts'

/** Flows of items between two pauses. */
const FLOWS_A_STEP = 20

/**
 * Whether a model is one sensor and a row of tasks behind it, of which no two wait for the same cores, air or containers.
 */
export function isTandem({ tasks, link, classes, host }: Model): boolean {
  const [sensor, ...others] = tasks
  if (!sensor?.gap || sensor.parents.length > 0 || sensor.inputBytes > 0 || others.length === 0) return false
  if (host !== null || classes.some(({ awaitsArrival }) => awaitsArrival)) return false
  const isRow = others.every(
    (task, at) =>
      task.parents.length === 1 &&
      task.parents[0]?.task === at &&
      task.gap === null &&
      task.barrier === null &&
      task.serialWith.length === 0 &&
      task.outputs === 1 &&
      !task.swarmWide &&
      task.lanes.length === sensor.lanes.length &&
      task.invocations === Math.floor(sensor.outputs),
  )
  if (!isRow || sensor.serialWith.length > 0) return false
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

/** Simulates a model for which `isTandem` holds, in steps of a few milliseconds. */
export function* tandemSteps(model: Model, seed: number): Generator<undefined, Ledger> {
  const items = totalItems(model)
  const ledger = new Ledger(model, items)
  const run: TandemRun = { model, ledger, lanes: new Int32Array(items), seqs: new Int32Array(items) }
  const cores = new Cores(model)
  const pool = new ContainerPool(model.cloud, model.tasks.length)
  const wiring = wiringOf(model, seed)
  const passages = wiring.flatMap((each, index): Passage[] => {
    const departure = new Departure(run, index, each)
    if (index === 0) return [departure]
    const { tier } = each.task
    return [
      tier === 'edge' ? new OnDevices(run, index, each, cores) : new InCloud(run, index, each, pool),
      departure,
    ]
  })
  const emission = new Emission(run, wiring[0] as TaskWiring)
  for (let flow = emission.next(), step = 1; !flow.isEmpty; flow = emission.next(), step++) {
    pass(flow, passages)
    if (step % FLOWS_A_STEP === 0) yield
  }
  for (const [at, passage] of passages.entries()) pass(passage.rest(), passages.slice(at + 1))
  ledger.close(cores.busy(), pool)
  return ledger
}

function pass(emitted: Flow, passages: readonly Passage[]): void {
  let flow = emitted
  for (const passage of passages) flow = passage.take(flow)
}
