/** What an agent keeps of one run: the lanes it works for, and for each of them what waits in joins. */
import { Join, type Ready, type Shape, type Topology } from '@hivemind/orchestrator'

/** Where a message belongs. Plain data: it travels on the wires of the flow. */
export interface Place {
  run: string
  /** The lane: the device whose work it is, which another device's agent may do. */
  device: string
  seq: number
  /** Parts that were joined for one attempt are never mixed with those of another. */
  attempt: number
  /** Id of the delivery it stems from. */
  delivery: number
}

/** The name a join knows the parts from outside by. */
export const OUTSIDE = ' outside'

interface Outcome {
  input: Shape | undefined
  /** Items that the invocation 0 emitted, once it has ended. */
  firstItems: number | undefined
  output: Shape | undefined
}

export interface Release {
  task: string
  ready: Ready[]
  shape: Shape | undefined
}

export class RunOnAgent {
  readonly run: string
  readonly devices: string[]
  readonly maxItems: number | undefined
  readonly ended = new AbortController()
  readonly #topology: Topology
  readonly #joins = new Map<string, Join>()
  readonly #outcomes = new Map<string, Outcome>()

  constructor(run: string, devices: string[], maxItems: number | undefined, topology: Topology) {
    this.run = run
    this.devices = devices
    this.maxItems = maxItems
    this.#topology = topology
  }

  /** A part arrives at the join before a task; returns what has become complete. */
  offer(task: string, place: Place, from: string, value: unknown, shape: Shape | undefined): Release {
    const join = this.#join(task, place)
    join.offer(from, place.seq, value)
    if (shape) join.setShape(from, shape)
    return this.#release(task, place)
  }

  /** A task is called with an object or with an item of a stream, as far as is known. */
  setInputShape(task: string, place: Place, shape: Shape | undefined): Release[] {
    if (!shape) return []
    this.#outcome(task, place).input ??= shape
    return this.#settle(task, place)
  }

  /** An invocation has ended; returns what that completes below it: an object goes with every item of a stream. */
  invocationDone(task: string, place: Place, items: number): Release[] {
    if (place.seq === 0) this.#outcome(task, place).firstItems ??= items
    return this.#settle(task, place)
  }

  #settle(task: string, place: Place): Release[] {
    const outcome = this.#outcome(task, place)
    if (outcome.output) return []
    if (outcome.input === 'stream') outcome.output = 'stream'
    else if (outcome.input === 'object' && outcome.firstItems !== undefined)
      outcome.output = outcome.firstItems === 1 ? 'object' : 'stream'
    const { output } = outcome
    if (!output) return []
    return this.#topology
      .task(task)
      .children.filter((child) => this.#topology.wired(task, child))
      .flatMap((child) => this.#parentSettled(task, child, place, output))
  }

  #parentSettled(task: string, child: string, place: Place, output: Shape): Release[] {
    if (this.#topology.task(child).parents.length === 1) return this.setInputShape(child, place, output)
    this.#join(child, place).setShape(task, output)
    const release = this.#release(child, place)
    return [
      ...(release.ready.length > 0 ? [release] : []),
      ...this.setInputShape(child, place, release.shape),
    ]
  }

  #release(task: string, place: Place): Release {
    const join = this.#join(task, place)
    return { task, ready: join.take(), shape: join.shape }
  }

  #join(task: string, place: Place): Join {
    const id = idOf(task, place)
    const found = this.#joins.get(id)
    if (found) return found
    const { parents } = this.#topology.task(task)
    const wired = parents.filter((parent) => this.#topology.wired(parent, task))
    const join = new Join(wired.length < parents.length ? [...wired, OUTSIDE] : wired)
    this.#joins.set(id, join)
    return join
  }

  #outcome(task: string, place: Place): Outcome {
    const id = idOf(task, place)
    const found = this.#outcomes.get(id)
    if (found) return found
    const outcome: Outcome = { input: undefined, firstItems: undefined, output: undefined }
    this.#outcomes.set(id, outcome)
    return outcome
  }
}

const idOf = (task: string, { device, attempt }: Place): string => `${task} ${device} ${attempt}`
