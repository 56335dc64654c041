/**
 * The way of one item through a run. Spans record no parents: they follow from the workflow (which tasks run for each
 * device, for each item, or once for the swarm) and from the item numbers, so a trace needs nothing more on the wire.
 */
import { tierRow } from '@hivemind/swarm'
import { kindsOf, type Scope, scopesOf, type Task, type Workflow } from '@hivemind/workflow'
import type { InvocationKey, Span } from './types.ts'

/** An input of a step: the invocation it came from, and how many more there were. */
export interface PathInput {
  /** Index of the step that produced it. */
  step: number
  /** Invocations whose results this step took in: more than 1 behind a barrier, where only one is followed. */
  of: number
  /** When the result left the one and was ready for the other, ms since 1970. `readyAt` is never before `leftAt`. */
  leftAt: number
  readyAt: number
  /** Whether the two ran at different places, with the network between them. */
  crosses: boolean
}

/** One invocation on the way of an item. */
export interface PathStep {
  /** The last try. */
  span: Span
  /** All tries, the first one first. */
  tries: readonly Span[]
  inputs: readonly PathInput[]
}

const keyOf = (device: string, seq: number): string => `${device} ${seq}`

/** Finds the ways of items through the spans of a run. */
export class ItemPaths {
  readonly #tasks: ReadonlyMap<string, Task>
  readonly #scopes: ReadonlyMap<string, Scope>
  readonly #kinds: ReturnType<typeof kindsOf>
  readonly #order: readonly string[]
  /** Tries of each invocation, by task, then device and item. */
  readonly #spans = new Map<string, Map<string, Span[]>>()

  /** Throws on a workflow with a cycle. */
  constructor(workflow: Workflow, spans: readonly Span[]) {
    this.#tasks = new Map(workflow.tasks.map((task) => [task.name, task]))
    this.#scopes = scopesOf(workflow)
    this.#kinds = kindsOf(workflow)
    this.#order = [...this.#scopes.keys()]
    for (const span of spans) {
      const own = this.#spans.get(span.task) ?? new Map<string, Span[]>()
      this.#spans.set(span.task, own)
      const key = keyOf(span.device, span.seq)
      const tries = own.get(key)
      if (tries) tries.push(span)
      else own.set(key, [span])
    }
    for (const own of this.#spans.values())
      for (const tries of own.values()) tries.sort((a, b) => a.attempt - b.attempt)
  }

  /** The last try of an invocation. */
  find({ task, device, seq }: InvocationKey): Span | undefined {
    return this.#spans.get(task)?.get(keyOf(device, seq))?.at(-1)
  }

  /**
   * The invocations that an item went through, parents first: those it came from and those that its result went to. Behind a
   * barrier the input that ended last is followed, since the barrier waited for it; of several results the one of the same
   * device and number, else the first. Empty when no such invocation is among the spans.
   */
  pathOf(from: InvocationKey): PathStep[] {
    const start = this.find(from)
    if (!start) return []
    const found = new Map<string, Span>([[start.task, start]])
    const inputs = new Map<string, Map<string, number>>()
    this.#up(start, found, inputs)
    this.#down(start, found, inputs)
    const steps = this.#order.flatMap((task) => found.get(task) ?? [])
    const index = new Map(steps.map(({ task }, at) => [task, at]))
    return steps.map((span): PathStep => {
      const parents = this.#tasks.get(span.task)?.parents ?? []
      return {
        span,
        tries: this.#spans.get(span.task)?.get(keyOf(span.device, span.seq)) ?? [span],
        inputs: parents.flatMap((parent) => {
          const [step, source] = [index.get(parent), found.get(parent)]
          if (step === undefined || source === undefined) return []
          const of = inputs.get(span.task)?.get(parent) ?? this.#inputsOf(span, parent).length
          return [{ step, of, ...this.#between(source, span) }]
        }),
      }
    })
  }

  /** The invocations whose results an invocation took in, of all its parents; of those of a barrier all. */
  inputsOf(span: Span): Span[] {
    return (this.#tasks.get(span.task)?.parents ?? []).flatMap((parent) => this.#inputsOf(span, parent))
  }

  /** The invocations of `parent` whose results an invocation took in. */
  #inputsOf(span: Span, parent: string): Span[] {
    const own = this.#spans.get(parent)
    if (!own) return []
    if (this.#scopes.get(span.task) === 'swarm' && this.#scopes.get(parent) !== 'swarm') {
      const all = [...own.values()]
        .flatMap((tries) => tries.at(-1) ?? [])
        .filter(({ status }) => status === 'ok')
      const before = all.filter(({ endedAt, items }) => items > 1 || endedAt <= span.queuedAt + 1)
      return before.length > 0 ? before : all
    }
    const device = this.#scopes.get(parent) === 'swarm' ? '*' : span.device
    const seq = this.#kinds.get(parent)?.in === 'object' ? 0 : span.seq
    return own.get(keyOf(device, seq))?.slice(-1) ?? []
  }

  #up(span: Span, found: Map<string, Span>, inputs: Map<string, Map<string, number>>): void {
    for (const parent of this.#tasks.get(span.task)?.parents ?? []) {
      const all = this.#inputsOf(span, parent)
      const counts = inputs.get(span.task) ?? new Map<string, number>()
      inputs.set(span.task, counts.set(parent, all.length))
      if (found.has(parent)) continue
      const last = all.reduce<Span | undefined>(
        (latest, each) => (latest && latest.endedAt >= each.endedAt ? latest : each),
        undefined,
      )
      if (!last) continue
      found.set(parent, last)
      this.#up(last, found, inputs)
    }
  }

  #down(start: Span, found: Map<string, Span>, inputs: Map<string, Map<string, number>>): void {
    const below = [start.task]
    for (let task = below.shift(); task !== undefined; task = below.shift())
      for (const child of this.#tasks.get(task)?.children ?? []) {
        const source = found.get(task)
        if (!source || found.has(child)) continue
        const next = this.#resultOf(source, child, start)
        if (!next) continue
        found.set(child, next)
        // Its other inputs, of tasks that are not below the start, belong to the way too.
        this.#up(next, found, inputs)
        below.push(child)
      }
  }

  /** The invocation of `child` that took in the result of `source`, on the way of an item. */
  #resultOf(source: Span, child: string, { device, seq }: InvocationKey): Span | undefined {
    const own = this.#spans.get(child)
    if (!own) return undefined
    const scope = this.#scopes.get(child)
    const places = scope === 'swarm' ? ['*'] : source.device !== '*' ? [source.device] : undefined
    const candidates = [...own.values()]
      .flatMap((tries) => tries.at(-1) ?? [])
      .filter((each) => places === undefined || places.includes(each.device))
      .filter((each) => this.#inputsOf(each, source.task).includes(source))
    const rank = (each: Span): number => (each.device === device ? 0 : 2) + (each.seq === seq ? 0 : 1)
    return candidates.sort(
      (a, b) =>
        rank(a) - rank(b) || a.seq - b.seq || a.device.localeCompare(b.device, 'en', { numeric: true }),
    )[0]
  }

  #between(source: Span, span: Span): Pick<PathInput, 'leftAt' | 'readyAt' | 'crosses'> {
    const readyAt = span.queuedAt
    // A device's span ends when its last item has arrived; of a stream only that item's time on the network is known.
    const ms = source.tier === 'edge' && source.items <= 1 ? source.breakdown.network : 0
    const leftAt = Math.min(readyAt, source.endedAt - ms)
    const crosses =
      source.tier !== span.tier || (tierRow(span.tier).perDevice && source.device !== span.device)
    return { leftAt, readyAt, crosses }
  }
}
