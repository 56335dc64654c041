/** How the outputs of its parents become the invocations of a task on one lane: a join, or a barrier. */
import type { PlanTask } from '@hivemind/synthesis'
import { Barrier } from './barrier.ts'
import { Join, type Ready } from './join.ts'
import type { Shape } from './ports.ts'

export interface Gate {
  /** An item of a parent, from the parent's lane. Repetitions are ignored. */
  offer(parent: string, device: string, seq: number, value: unknown): void
  setShape(parent: string, shape: Shape): void
  /** No more items of the parent will come from this lane of it. */
  end(parent: string, device: string): void
  /** What has become ready, each once. */
  take(): Ready[]
  readonly shape: Shape | undefined
  /** Nothing more becomes ready after the next `take`. */
  readonly ended: boolean
  /** Sentences for the Run screen: what the barrier waited for in vain, what it dropped. */
  notes(): { loss?: string; info?: string }
}

/**
 * The gate of a task. Behind a barrier it opens once. A task below a barrier that also has a parent on every device
 * waits for all of that parent's instances, as if `Synchronize(task, 'all')` stood for that parent alone.
 */
export function gateOf(task: PlanTask, parents: Map<string, string[]>, devices: readonly string[]): Gate {
  if (task.barrier) return new BarrierGate(task.name, new Barrier(task.barrier, parents, devices))
  return new JoinGate(task, parents, devices)
}

class BarrierGate implements Gate {
  readonly shape = 'object'
  readonly #task: string
  readonly #barrier: Barrier
  #missing = 0

  constructor(task: string, barrier: Barrier) {
    this.#task = task
    this.#barrier = barrier
  }

  offer(parent: string, device: string, seq: number, value: unknown): void {
    this.#barrier.offer(parent, { device, seq, value })
  }

  setShape(): void {}

  end(parent: string, device: string): void {
    this.#barrier.end(parent, device)
  }

  take(): Ready[] {
    const parts = this.#barrier.take()
    if (!parts) return []
    this.#missing = this.#barrier.missing
    return [{ seq: 0, parts }]
  }

  get ended(): boolean {
    return this.#barrier.ended
  }

  notes(): { loss?: string; info?: string } {
    const { dropped } = this.#barrier
    return {
      ...(this.#missing > 0 && {
        loss: `The barrier of '${this.#task}' ran ${this.#missing} ${this.#missing === 1 ? 'instance' : 'instances'} short: no more came.`,
      }),
      ...(dropped > 0 && {
        info: `The barrier of '${this.#task}' had opened already when ${dropped} more ${dropped === 1 ? 'instance' : 'instances'} came.`,
      }),
    }
  }
}

class JoinGate implements Gate {
  readonly #join: Join
  /** Parents that run on every device, above a task that runs once for the swarm. */
  readonly #collectors = new Map<string, Barrier>()

  constructor(task: PlanTask, parents: Map<string, string[]>, devices: readonly string[]) {
    this.#join = new Join([...parents.keys()])
    if (task.scope === 'swarm')
      for (const [parent, lanes] of parents)
        if (lanes[0] !== '*')
          this.#collectors.set(parent, new Barrier({ kind: 'all' }, new Map([[parent, lanes]]), devices))
  }

  offer(parent: string, device: string, seq: number, value: unknown): void {
    const collector = this.#collectors.get(parent)
    if (collector) collector.offer(parent, { device, seq, value })
    else this.#join.offer(parent, seq, value)
  }

  setShape(parent: string, shape: Shape): void {
    if (!this.#collectors.has(parent)) this.#join.setShape(parent, shape)
  }

  end(parent: string, device: string): void {
    const collector = this.#collectors.get(parent)
    collector?.end(parent, device)
    if (collector && !collector.ended) return
    if (collector) {
      this.#join.offer(parent, 0, collector.take()?.[parent] ?? [])
      this.#join.setShape(parent, 'object')
    }
    this.#join.end(parent)
  }

  take(): Ready[] {
    return this.#join.take()
  }

  get shape(): Shape | undefined {
    return this.#join.shape
  }

  get ended(): boolean {
    return this.#join.ended
  }

  notes(): { loss?: string; info?: string } {
    return {}
  }
}
