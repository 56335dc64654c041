/**
 * The closed-form estimate: microseconds instead of milliseconds, no randomness. Mean waits come from waiting.ts; an
 * item's latency is that of the chain of tasks with the longest mean, and its quantiles those of a gamma distribution
 * with the chain's mean and variance. docs/placement.md, "The closed form", lists what it leaves out.
 */
import { batteryShareOf, costOf, type Estimate, energyOf } from '@hivemind/swarm'
import {
  edgeNodesUsed,
  isOfNode,
  itemsOf,
  type Model,
  type ModelClass,
  type ModelParent,
  type ModelTask,
  type NodeChannel,
  nodeLinkOf,
  originTasks,
  totalItems,
} from '../model/model.ts'
import { type Backlog, inOrder, joined, withOne } from './backlog.ts'
import { type ContainerUse, containerTime, containerUse } from './containers.ts'
import { type Crossings, crossingsOf, type Loads, loadsOf, sharedLink, streamLength } from './loads.ts'
import { nodeBytesOf, nodeWorkOf, perNodeOf } from './nodes.ts'
import { momentsFor, type ResourceName, serviceOf } from './visits.ts'
import { quantile, type Wait } from './waiting.ts'

/** One hop and invocation, or a chain of them: means in ms. */
interface Path {
  network: number
  management: number
  dataExchange: number
  execution: number
  variance: number
  /** Growing waits by the resource that causes them: each counts once on a chain. */
  backlog: Backlog | undefined
}

const EMPTY: Path = {
  network: 0,
  management: 0,
  dataExchange: 0,
  execution: 0,
  variance: 0,
  backlog: undefined,
}

function plus(a: Path, b: Path): Path {
  return {
    network: a.network + b.network,
    management: a.management + b.management,
    dataExchange: a.dataExchange + b.dataExchange,
    execution: a.execution + b.execution,
    variance: a.variance + b.variance,
    backlog: joined(a.backlog, b.backlog),
  }
}

function meanOf(path: Path): number {
  return path.network + path.management + path.dataExchange + path.execution
}

function backlogOf(path: Path): number {
  return path.backlog?.sumMs ?? 0
}

/** The resources that are links; `node` itself is the cores of an edge node. */
const OF_A_LINK = /^(up|down|toNode|fromNode|nodeUp|nodeDown)/

/** A backlog grows evenly, so the mean item waits for half of it. */
function withBacklog(path: Path): Pick<Path, 'network' | 'management' | 'dataExchange' | 'execution'> {
  let { network, management, dataExchange } = path
  for (const { resource, ms } of inOrder(path.backlog))
    if (OF_A_LINK.test(resource)) network += ms / 2
    else if (resource.startsWith('store')) dataExchange += ms / 2
    else management += ms / 2
  return { network, management, dataExchange, execution: path.execution }
}

/** The estimate as devices of one class see it; link and cloud carry the load of all classes. */
class ClassEstimate {
  readonly #model: Model
  readonly #crossings: Crossings
  readonly #class: number
  readonly #loads: Loads
  readonly #uses: (ContainerUse | undefined)[]
  readonly #stages: Path[] = []
  /** For every task, what its parents' outputs and its invocation take, in the order of its parents. */
  readonly #hops: Path[][] = []
  /** Steady end of the last invocation, with the backlogs on the way. */
  readonly #ends: Path[] = []
  endMs = 0
  latency = { p50: 0, p99: 0, mean: 0 }
  breakdown = withBacklog(EMPTY)

  constructor(model: Model, crossings: Crossings, classIndex: number) {
    this.#model = model
    this.#crossings = crossings
    this.#class = classIndex
    this.#loads = loadsOf(model, crossings, classIndex)
    this.#uses = model.tasks.map((task, index) =>
      task.hardware === 'cloud' && !task.gap
        ? containerUse(
            model,
            task,
            this.#loads.spanMs[index] as number,
            serviceOf(model, task, classIndex).mean,
          )
        : undefined,
    )
    for (const [index, task] of model.tasks.entries()) this.#follow(index, task)
    this.#latencies()
  }

  /** Time from the production of a task's last input to its end. */
  stage(index: number) {
    const task = this.#model.tasks[index] as ModelTask
    if (task.gap) {
      const length = streamLength(task)
      return { p50Ms: length, p99Ms: length, breakdown: withBacklog(EMPTY) }
    }
    const path = this.#stages[index] ?? EMPTY
    const mean = meanOf(path)
    const backlog = backlogOf(path)
    return {
      p50Ms: quantile('p50', mean, path.variance, backlog),
      p99Ms: quantile('p99', mean, path.variance, backlog),
      breakdown: withBacklog(path),
    }
  }

  /** Core time of all cloud containers of a run that ends at `endMs`, in ms. */
  cloudMs(endMs: number): number {
    let sum = 0
    for (const [index, use] of this.#uses.entries()) {
      const task = this.#model.tasks[index] as ModelTask
      if (!use) continue
      const end = this.#ends[index] ?? EMPTY
      sum += containerTime(this.#model, task, use, {
        spanMs: this.#loads.spanMs[index] as number,
        serviceMs: serviceOf(this.#model, task, this.#class).mean,
        endMs,
        doneMs: meanOf(end) + backlogOf(end),
      })
    }
    return sum
  }

  #follow(index: number, task: ModelTask): void {
    const here = this.#invocation(index, task)
    const hops = task.parents.map((parent) => plus(this.#hop(parent), here))
    let stage = task.parents.length === 0 ? plus(this.#rootInput(task), here) : EMPTY
    let end = stage
    for (const [at, parent] of task.parents.entries()) {
      const hop = hops[at] as Path
      const reached = plus(this.#ends[parent.task] as Path, hop)
      if (at > 0 && lastEnd(reached) <= lastEnd(end)) continue
      end = reached
      stage = hop
    }
    // the stream ends with the sensor's last item
    const ended = task.gap ? plus(end, { ...EMPTY, execution: streamLength(task) }) : end
    this.#hops[index] = hops
    this.#stages[index] = stage
    this.#ends[index] = ended
    const returned = task.returnsResult ? plus(ended, this.#returned(index, task)) : ended
    this.endMs = Math.max(this.endMs, lastEnd(returned))
  }

  #invocation(index: number, task: ModelTask): Path {
    if (task.gap) return EMPTY
    const service = serviceOf(this.#model, task, this.#class)
    const alone: Path = { ...EMPTY, execution: service.mean, variance: service.variance }
    if (task.hardware === 'fabric') return alone
    if (task.hardware === 'nodes') {
      const called = { ...EMPTY, management: this.#model.nodes?.callMs ?? 0 }
      return plus(plus(called, this.#waiting(index, 'node', true)), alone)
    }
    const own = this.#model.host ? plus(alone, this.#sharing(index)) : alone
    if (task.hardware === 'devices') return plus(this.#waiting(index, 'core', true), own)
    const { dispatchMs, coldStartMs, coldStart } = this.#model.cloud
    const cold = this.#uses[index]?.coldShare ?? 0
    const start: Path = {
      ...EMPTY,
      management: dispatchMs + cold * coldStartMs,
      variance: cold * (1 - cold) * coldStartMs * coldStartMs + cold * momentsFor(coldStart).variance,
    }
    return plus(plus(start, this.#waiting(index, 'cloud', true)), own)
  }

  /** The wait for a resource, as management or as network. */
  #waiting(index: number, resource: ResourceName, management: boolean): Path {
    const task = this.#model.tasks[index] as ModelTask
    const span = task.gap ? streamLength(task) : (this.#loads.spanMs[index] as number)
    const isOwn = resource === 'core' && this.#model.classes[this.#class]?.serverPerTask
    if (span <= 0)
      return waiting(`${resource} burst ${index}`, this.#loads.burstOf(index, resource), management)
    if (isOwn) return waiting(`${resource} ${index}`, this.#loads.ownServerOf(index), management)
    const name = sharedLink(this.#model, resource)
    return waiting(name, this.#loads.stream[resource], management)
  }

  /** By how much an invocation takes longer than alone on a host. */
  #sharing(index: number): Path {
    const name = (this.#loads.spanMs[index] as number) > 0 ? 'host' : `host burst ${index}`
    return waiting(name, this.#loads.sharingOf(index), true)
  }

  #transfer(index: number, direction: 'up' | 'down'): Path {
    const air = this.#crossings.air[index] ?? { mean: 0, variance: 0 }
    const { delayMs, msPerByte, rpcMsPerByte } = this.#model.link
    const stretch = msPerByte > 0 ? 1 + rpcMsPerByte / msPerByte : 1
    const own: Path = {
      ...EMPTY,
      network: air.mean * stretch + delayMs,
      variance: air.variance * stretch * stretch,
    }
    return plus(this.#waiting(index, direction, false), own)
  }

  /** The way of a result to the cloud. */
  #returned(index: number, { hardware }: ModelTask): Path {
    return hardware === 'nodes' ? this.#nodeTransfer(index, 'nodeUp') : this.#transfer(index, 'up')
  }

  /** An output over a link of an edge node. */
  #nodeTransfer(index: number, channel: NodeChannel): Path {
    const { nodes } = this.#model
    const crossing = this.#crossings.nodes[index]?.find((each) => each.channel === channel)
    if (!nodes || !crossing) return EMPTY
    const { mean, variance } = crossing.air
    const own: Path = { ...EMPTY, network: mean + nodeLinkOf(nodes, channel).delayMs, variance }
    return plus(this.#waiting(index, channel, false), own)
  }

  #hop(parent: ModelParent): Path {
    if (parent.channel === 'wire') return EMPTY
    if (isOfNode(parent.channel)) return this.#nodeTransfer(parent.task, parent.channel)
    if (parent.channel !== 'handOver') return this.#transfer(parent.task, parent.channel)
    const { fixedMs, msPerByte, isShared } = this.#model.cloud.handOver
    const bytes = momentsFor((this.#model.tasks[parent.task] as ModelTask).outputBytes)
    const factor = parent.data ? msPerByte : 0
    const own: Path = {
      ...EMPTY,
      dataExchange: fixedMs + bytes.mean * factor,
      variance: bytes.variance * factor * factor,
    }
    return isShared && parent.data ? plus(this.#storeWait(parent.task), own) : own
  }

  /** The wait for the store through which functions hand data over. */
  #storeWait(index: number): Path {
    const isBurst = (this.#loads.spanMs[index] as number) <= 0
    const name = isBurst ? `store burst ${index}` : 'store'
    const wait = isBurst ? this.#loads.burstOf(index, 'store') : this.#loads.stream.store
    const { management, ...path } = waiting(name, wait, true)
    return { ...path, management: 0, dataExchange: management }
  }

  #rootInput(task: ModelTask): Path {
    const { nodes } = this.#model
    if (task.hardware === 'nodes' && nodes && task.inputBytes > 0) {
      const { delayMs, msPerByte } = nodes.backhaul
      return { ...EMPTY, network: delayMs + (task.inputBytes * msPerByte * (perNodeOf(this.#model) + 1)) / 2 }
    }
    if (task.hardware !== 'devices' || task.inputBytes === 0) return EMPTY
    const perPoint = Math.ceil(this.#model.classOf.length / this.#model.link.accessPoints)
    const air = task.inputBytes * this.#model.link.msPerByte
    return { ...EMPTY, network: this.#model.link.delayMs + (air * (perPoint + 1)) / 2 }
  }

  /** Items of different sensors are averaged by their number; the p99 is that of the slowest. */
  #latencies(): void {
    const origins = originTasks(this.#model)
    const items = origins.map((origin) => totalItems(this.#model, [origin]))
    const all = Math.max(
      1,
      items.reduce((sum, each) => sum + each, 0),
    )
    for (const [at, origin] of origins.entries()) {
      const weight = (items[at] as number) / all
      const leaves = this.#leavesFrom(origin)
      const [longest] = [...leaves].sort((a, b) => typical(b) - typical(a))
      if (!longest || weight === 0) continue
      const of = (which: 'p50' | 'p99') =>
        Math.max(...leaves.map((leaf) => quantile(which, meanOf(leaf), leaf.variance, backlogOf(leaf))))
      const parts = withBacklog(longest)
      this.breakdown = {
        network: this.breakdown.network + weight * parts.network,
        management: this.breakdown.management + weight * parts.management,
        dataExchange: this.breakdown.dataExchange + weight * parts.dataExchange,
        execution: this.breakdown.execution + weight * parts.execution,
      }
      this.latency = {
        p50: this.latency.p50 + weight * of('p50'),
        p99: Math.max(this.latency.p99, of('p99')),
        mean: this.latency.mean + weight * typical(longest),
      }
    }
  }

  /** The longest chain from a sensor (or root) to each task on the devices, or for each item, at which its items end. */
  #leavesFrom(origin: number): Path[] {
    const { tasks } = this.#model
    const chains: (Path | undefined)[] = []
    const goesOn: boolean[] = []
    for (let index = origin; index < tasks.length; index++) {
      const task = tasks[index] as ModelTask
      if (task.swarmWide) continue
      if (index === origin) chains[index] = task.gap ? EMPTY : this.#stages[index]
      for (const [at, parent] of task.parents.entries()) {
        const before = chains[parent.task]
        if (!before) continue
        goesOn[parent.task] = true
        const chain = plus(before, this.#hops[index]?.[at] ?? EMPTY)
        const known = chains[index]
        if (!known || typical(chain) > typical(known)) chains[index] = chain
      }
    }
    return chains.flatMap((chain, index) => {
      if (!chain || goesOn[index]) return []
      // data that no task processes counts when it is delivered
      const unprocessed = index === origin && tasks[index]?.gap && this.#crossings.across[index]
      return [unprocessed ? plus(chain, this.#transfer(index, 'up')) : chain]
    })
  }
}

/** A wait for a resource as part of a path, as management or as network. */
function waiting(resource: string, { mean, variance, backlog }: Wait, management: boolean): Path {
  return {
    ...EMPTY,
    network: management ? 0 : mean,
    management: management ? mean : 0,
    variance,
    backlog: backlog > 0 ? withOne(undefined, resource, backlog) : undefined,
  }
}

function lastEnd(path: Path): number {
  return meanOf(path) + backlogOf(path)
}

function typical(path: Path): number {
  return meanOf(path) + backlogOf(path) / 2
}

/** Bytes that a device of a class sends and receives, and the busy time of its cores, over the run: means over the class. */
function useOf(model: Model, crossings: Crossings, classIndex: number, count: number) {
  const use = { sentBytes: 0, receivedBytes: 0, busyMs: 0 }
  const { classOf } = model
  for (const [index, task] of model.tasks.entries()) {
    const lanes = task.swarmWide ? (crossings.scatter[index] as number[]) : task.lanes
    const inClass =
      lanes.length === classOf.length
        ? count
        : lanes.reduce((sum, lane) => sum + (classOf[lane] === classIndex ? 1 : 0), 0)
    if (inClass === 0) continue
    const share = inClass / count
    if (task.hardware === 'devices') use.receivedBytes += share * task.inputBytes
    if (task.hardware === 'devices' && !task.gap)
      use.busyMs += share * task.invocations * serviceOf(model, task, classIndex).mean
    if (!crossings.payload[index]) continue
    const bytes = share * itemsOf(task) * task.outputBytes.mean
    if (task.hardware === 'devices') use.sentBytes += bytes
    else use.receivedBytes += bytes
  }
  return use
}

/**
 * Estimates a run without simulating it. Deterministic. Means are exact without queueing; with it they are
 * approximations for the steady state, bounded by what a run of this length can pile up, so that an overloaded
 * placement gets a finite latency that grows with the run.
 */
export function estimateClosedForm(model: Model): Estimate {
  const crossings = crossingsOf(model)
  const counts = model.classes.map((_, index) => model.classOf.filter((each) => each === index).length)
  const devices = Math.max(1, model.classOf.length)
  const views = model.classes.flatMap((_, index) => {
    const count = counts[index] ?? 0
    return count > 0
      ? [{ index, share: count / devices, view: new ClassEstimate(model, crossings, index) }]
      : []
  })
  const endMs = Math.max(0, ...views.map(({ view }) => view.endMs))
  const average = (of: (view: ClassEstimate) => number) =>
    views.reduce((sum, { view, share }) => sum + share * of(view), 0)
  let joules = 0
  let share = 0
  let maxJoules = 0
  let maxShare = 0
  let bytes = 0
  for (const each of views) {
    const count = counts[each.index] as number
    const use = useOf(model, crossings, each.index, count)
    const byNode = nodeBytesOf(model, crossings.nodes, each.index)
    bytes += each.share * devices * (use.sentBytes + use.receivedBytes) + byNode.backhaul
    use.sentBytes += byNode.sent / count
    use.receivedBytes += byNode.received / count
    const kind = model.classes[each.index] as ModelClass
    const energy = energyOf(kind, { onMs: endMs, ...use })
    joules += each.share * energy
    const ofBattery = batteryShareOf(kind, energy)
    share += each.share * ofBattery
    maxJoules = Math.max(maxJoules, energy)
    maxShare = Math.max(maxShare, ofBattery)
  }
  const breakdownOf = (of: (view: ClassEstimate) => ReturnType<typeof withBacklog>) => ({
    network: average((view) => of(view).network),
    management: average((view) => of(view).management),
    dataExchange: average((view) => of(view).dataExchange),
    execution: average((view) => of(view).execution),
  })
  const items = totalItems(model)
  return {
    latencyMs: {
      p50: average((view) => view.latency.p50),
      p99: Math.max(0, ...views.map(({ view }) => view.latency.p99)),
      mean: average((view) => view.latency.mean),
    },
    breakdown: breakdownOf((view) => view.breakdown),
    perTask: Object.fromEntries(
      model.tasks.map((task, index) => {
        const stages = new Map(views.map(({ view }) => [view, view.stage(index)]))
        const of = (view: ClassEstimate) => stages.get(view) ?? view.stage(index)
        return [
          task.name,
          {
            p50Ms: average((view) => of(view).p50Ms),
            p99Ms: Math.max(0, ...views.map(({ view }) => of(view).p99Ms)),
            breakdown: breakdownOf((view) => of(view).breakdown),
            tier: task.tier,
          },
        ]
      }),
    ),
    execTimeMs: endMs,
    throughput: endMs > 0 ? (items * 1000) / endMs : 0,
    energyJ: joules,
    energyShare: share,
    maxEnergyJ: maxJoules,
    maxEnergyShare: maxShare,
    bandwidthMBps: endMs > 0 ? bytes / 1e3 / endMs : 0,
    ...costOf(model.cloud.pricePerCoreMs, views[0]?.view.cloudMs(endMs) ?? 0, endMs),
    ...(model.nodes && { edgeNodes: edgeNodesUsed(model.nodes, nodeWorkOf(model), endMs) }),
  }
}
