/**
 * A workflow's placements without contention: an additive problem whose latency is a lower bound, since waiting for radio,
 * cores, containers and partners only adds to it. Its front is where the search with the closed form starts.
 */
import { momentsOf, TIERS, type TierRow, tierRow, transportBetween } from '@hivemind/swarm'
import { type Model, type ModelTask, scatterLanes } from '@hivemind/swarm-sim'
import type { Choice, Space } from './candidates.ts'
import { type AdditiveProblem, additiveProblem, type EdgeFigures, type TaskFigures } from './exact/index.ts'

/** An additive problem made from a workflow. */
export interface ContentionFree {
  problem: AdditiveProblem
  /** The choice in a space for a placement of the problem. */
  choiceOf(placements: Uint8Array, offset: number): Choice
}

/**
 * From the models of the baselines of all tiers, which between them have every task on each tier it may run on. Latency is
 * in ms, energy in J for each device, bytes to and from the cloud and core time in ms for each item and device. Times are those
 * of the slowest device class. What goes over the uplink is charged once, whatever reads it; what goes over a link of an edge node, to
 * each of the tasks that may read it in equal parts, so that the whole is never more than it is.
 */
export function contentionFree(
  space: Space,
  models: readonly [Model, ...Model[]],
  tiers: readonly TierRow[] = TIERS,
): ContentionFree {
  const [common] = models
  const order = common.tasks.map((task) => space.tasks.indexOf(task.name))
  const slowest = common.classes.reduce(
    (worst, each) => (each.cpuSpeed < worst.cpuSpeed ? each : worst),
    common.classes[0] ?? { cpuSpeed: 1, computeW: 0, txJPerByte: 0, rxJPerByte: 0 },
  )
  const devices = Math.max(1, common.classOf.length)
  const sides = order.map((at, index) =>
    (space.allowed[at] ?? []).map((tier): ModelTask => {
      const task = models.map((model) => model.tasks[index] as ModelTask).find((each) => each.tier === tier)
      if (!task) throw new RangeError(`No model has task '${space.tasks[at]}' on tier '${tier}'.`)
      return task
    }),
  )
  const { cloud, link, nodes } = common
  // latency is counted from the capture of sensor data, where there is any, and ends at a barrier
  const sensors = common.tasks.some((task) => task.gap)
  const onPath: boolean[] = []
  for (const task of common.tasks) {
    const isOrigin = sensors ? task.gap !== null : task.parents.length === 0
    onPath.push(!task.swarmWide && (isOrigin || task.parents.some((parent) => onPath[parent.task])))
  }
  const counts = (index: number) => onPath[index] ?? false
  const bytesOf = (task: ModelTask) => momentsOf(task.outputBytes).mean
  /** Lanes of a task for each device. */
  const share = (task: ModelTask) => (task.swarmWide ? 1 : task.lanes.length) / devices
  /** What a task's output costs that crosses the uplink; a result of the swarm is sent to each device that reads it. */
  const sent = (task: ModelTask, index: number) => {
    const lanes = task.swarmWide ? scatterLanes(common, index).length / devices : share(task)
    const bytes = bytesOf(task) * task.invocations * task.outputs * lanes
    // the device at either end pays: for sending what leaves it, or for receiving
    return [bytes * (task.hardware === 'devices' ? slowest.txJPerByte : slowest.rxJPerByte), bytes, 0]
  }
  /** What a task's output costs over a link of an edge node. */
  const sentByNode = (task: ModelTask, index: number, transport: 'radio' | 'backhaul') => {
    const lanes = task.swarmWide ? scatterLanes(common, index, 'nodeDown').length / devices : share(task)
    const bytes = bytesOf(task) * task.invocations * task.outputs * lanes
    if (transport === 'backhaul') return [0, bytes, 0]
    return [bytes * (task.hardware === 'devices' ? slowest.txJPerByte : slowest.rxJPerByte), 0, 0]
  }
  /** For every task, how many others read its output. */
  const readers = common.tasks.map(
    (_, index) =>
      common.tasks.filter(({ parents }) => parents.some(({ task, data }) => task === index && data)).length,
  )
  const returnedBy = (task: ModelTask, index: number) => {
    if (!task.returnsResult) return [0, 0, 0]
    return task.hardware === 'nodes' ? sentByNode(task, index, 'backhaul') : sent(task, index)
  }
  const tasks = sides.map((choices, index): TaskFigures => {
    const figures = choices.map((task) => {
      const service = momentsOf(task.service).mean
      const work = task.gap ? 0 : task.invocations * service * share(task)
      const [joules, bytes] = returnedBy(task, index) as [number, number, number]
      const { costs } = tierRow(task.tier, tiers)
      return [
        joules + (costs.energy ? ((work / slowest.cpuSpeed) * slowest.computeW) / 1000 : 0),
        bytes,
        costs.money ? work / cloud.cpuSpeed : 0,
      ]
    })
    return {
      // what comes after a barrier is no part of an item's latency
      time: choices.map((task) => {
        if (task.gap || !counts(index)) return 0
        const service = momentsOf(task.service).mean
        if (task.hardware === 'fabric') return service
        if (task.hardware === 'nodes') return (nodes?.callMs ?? 0) + service / (nodes?.cpuSpeed ?? 1)
        return task.hardware === 'devices'
          ? service / slowest.cpuSpeed
          : cloud.dispatchMs + service / cloud.cpuSpeed
      }),
      figures,
      send: choices.map((task) => (task.returnsResult ? [0, 0, 0] : sent(task, index))),
    }
  })
  const transportOf = (a: ModelTask, b: ModelTask) =>
    transportBetween(tierRow(a.tier, tiers), tierRow(b.tier, tiers))
  const freeMs = {
    local: () => 0,
    uplink: (bytes: number) => bytes * link.msPerByte + link.delayMs,
    radio: (bytes: number) => (nodes ? bytes * nodes.link.msPerByte + nodes.link.delayMs : 0),
    backhaul: (bytes: number) => (nodes ? bytes * nodes.backhaul.msPerByte + nodes.backhaul.delayMs : 0),
    handOver: (bytes: number) => cloud.handOver.fixedMs + bytes * cloud.handOver.msPerByte,
  }
  const edges = common.tasks.flatMap((child, to) =>
    child.parents.map(({ task: from, data }): EdgeFigures => {
      const pairs = <T>(of: (a: ModelTask, b: ModelTask) => T) =>
        (sides[from] ?? []).map((a) => (sides[to] ?? []).map((b) => of(a, b)))
      return {
        from,
        to,
        time: pairs((a, b) => {
          if (b.swarmWide || b.gap || !counts(from)) return 0
          return freeMs[transportOf(a, b)](data ? bytesOf(a) : 0)
        }),
        crosses: pairs((a, b) => transportOf(a, b) === 'uplink' && data),
        ...(nodes && {
          figures: pairs((a, b) => {
            const transport = transportOf(a, b)
            if (!data || (transport !== 'radio' && transport !== 'backhaul')) return [0, 0, 0]
            return sentByNode(a, from, transport).map((figure) => figure / (readers[from] as number))
          }),
        }),
      }
    }),
  )
  const position = order.map((_, index) => index)
  return {
    problem: additiveProblem(tasks, edges),
    choiceOf(placements, offset) {
      const choice = space.tasks.map(() => 0)
      for (const index of position) choice[order[index] as number] = placements[offset + index] as number
      return choice
    },
  }
}
