/**
 * A workflow's placements without contention: an additive problem whose latency no placement beats, since waiting for
 * radio, cores, containers and partners only adds to it. Its front says where to look with the closed form.
 */
import { momentsOf } from '@hivemind/swarm'
import type { Model, ModelTask } from '@hivemind/swarm-sim'
import type { Choice, Space } from './candidates.ts'
import { type AdditiveProblem, additiveProblem, type EdgeFigures, type TaskFigures } from './exact/index.ts'

export interface ContentionFree {
  problem: AdditiveProblem
  /** The choice in a space that a placement of the problem stands for. */
  choiceOf(placements: Uint8Array, offset: number): Choice
}

/**
 * From the models of the two baselines, which between them have every task on each tier it may run on. Latency is in
 * ms, energy in J for each device, bytes over the uplink and core time in ms for each item and device. Times are those
 * of the slowest device class.
 */
export function contentionFree(space: Space, models: { cloud: Model; edge: Model }): ContentionFree {
  const order = models.cloud.tasks.map((task) => space.tasks.indexOf(task.name))
  const slowest = models.cloud.classes.reduce(
    (worst, each) => (each.cpuSpeed < worst.cpuSpeed ? each : worst),
    models.cloud.classes[0] ?? { cpuSpeed: 1, computeW: 0, txJPerByte: 0, rxJPerByte: 0 },
  )
  const devices = Math.max(1, models.cloud.classOf.length)
  const sides = order.map((at, index) =>
    (space.allowed[at] ?? []).map((tier): ModelTask => {
      const own = models.cloud.tasks[index] as ModelTask
      return own.tier === tier ? own : (models.edge.tasks[index] as ModelTask)
    }),
  )
  const { cloud, link } = models.cloud
  // latency is counted from the capture of sensor data, where there is any
  const captured: boolean[] = []
  for (const task of models.cloud.tasks)
    captured.push(task.gap !== null || task.parents.some((parent) => captured[parent.task]))
  const sensors = models.cloud.tasks.some((task) => task.gap)
  const counts = (index: number) => !sensors || (captured[index] ?? false)
  const bytesOf = (task: ModelTask) => momentsOf(task.outputBytes).mean
  /** Lanes of a task for each device. */
  const share = (task: ModelTask) => (task.swarmWide ? 1 : task.lanes.length) / devices
  const sent = (task: ModelTask) => {
    const bytes = bytesOf(task) * task.invocations * task.outputs * share(task)
    const joules = task.swarmWide
      ? 0
      : bytes * (task.tier === 'edge' ? slowest.txJPerByte : slowest.rxJPerByte)
    return [joules, bytes, 0]
  }
  const tasks = sides.map((tiers, index): TaskFigures => {
    const figures = tiers.map((task) => {
      const service = momentsOf(task.service).mean
      const work = task.gap ? 0 : task.invocations * service * share(task)
      const returned = task.returnsResult ? sent(task) : [0, 0, 0]
      const [joules, bytes] = returned as [number, number, number]
      return task.tier === 'edge'
        ? [joules + ((work / slowest.cpuSpeed) * slowest.computeW) / 1000, bytes, 0]
        : [0, 0, work / cloud.cpuSpeed]
    })
    return {
      // what comes after a barrier is no part of an item's latency
      time: tiers.map((task) => {
        if (task.swarmWide || task.gap || !counts(index)) return 0
        const service = momentsOf(task.service).mean
        return task.tier === 'edge' ? service / slowest.cpuSpeed : cloud.dispatchMs + service / cloud.cpuSpeed
      }),
      figures,
      send: tiers.map((task) => (task.returnsResult ? [0, 0, 0] : sent(task))),
    }
  })
  const edges = models.cloud.tasks.flatMap((child, to) =>
    child.parents.map(({ task: from, data }): EdgeFigures => {
      const pairs = <T>(of: (a: ModelTask, b: ModelTask) => T) =>
        (sides[from] ?? []).map((a) => (sides[to] ?? []).map((b) => of(a, b)))
      return {
        from,
        to,
        time: pairs((a, b) => {
          if (b.swarmWide || b.gap || !counts(from)) return 0
          const bytes = data ? bytesOf(a) : 0
          if (a.tier !== b.tier) return bytes * link.msPerByte + link.delayMs
          return a.tier === 'edge' ? 0 : cloud.handOver.fixedMs + bytes * cloud.handOver.msPerByte
        }),
        crosses: pairs((a, b) => a.tier !== b.tier && data),
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
