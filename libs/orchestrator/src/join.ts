/**
 * Brings the outputs of a task's parents together on one lane: by item number, with an object going along with every
 * item (docs/task-code.md). Used by the engine, and by the edge agent for tasks wired together on a device.
 */
import type { Shape } from './ports.ts'

interface Side {
  parts: Map<number, unknown>
  /** Numbers seen so far, so that a repetition after a failure is dropped even when the part is used up. */
  seen: Set<number>
  shape: Shape | undefined
  ended: boolean
}

export interface Ready {
  seq: number
  /** Value by parent. */
  parts: Record<string, unknown>
}

export class Join {
  readonly #sides: Map<string, Side>
  readonly #taken = new Set<number>()

  /** @param parents at least one */
  constructor(parents: readonly string[]) {
    this.#sides = new Map(
      parents.map((parent) => [
        parent,
        { parts: new Map(), seen: new Set(), shape: undefined, ended: false },
      ]),
    )
  }

  /** An item of a parent. A number that came before is ignored; returns whether it was new. */
  offer(parent: string, seq: number, value: unknown): boolean {
    const side = this.#side(parent)
    if (side.seen.has(seq)) return false
    side.seen.add(seq)
    side.parts.set(seq, value)
    return true
  }

  /** Says what a parent's output is, once that is known. The first answer stands. */
  setShape(parent: string, shape: Shape): void {
    this.#side(parent).shape ??= shape
  }

  /** No more items of this parent will come. */
  end(parent: string): void {
    this.#side(parent).ended = true
  }

  /** What the child is called with: a stream as soon as one parent's is, an object when all are. */
  get shape(): Shape | undefined {
    const shapes = [...this.#sides.values()].map((side) => side.shape)
    if (shapes.includes('stream')) return 'stream'
    return shapes.includes(undefined) ? undefined : 'object'
  }

  /** True when every parent has ended: after the next `take` nothing more becomes ready. */
  get ended(): boolean {
    for (const side of this.#sides.values()) if (!side.ended) return false
    return true
  }

  /** The items that all parents have and that were not taken before, by number. */
  take(): Ready[] {
    const ready: Ready[] = []
    for (const seq of this.#candidates()) {
      const parts: Record<string, unknown> = {}
      for (const [parent, side] of this.#sides)
        parts[parent] = side.parts.get(side.shape === 'object' && !side.parts.has(seq) ? 0 : seq)
      this.#taken.add(seq)
      ready.push({ seq, parts })
    }
    this.#forget(ready)
    return ready
  }

  #candidates(): number[] {
    const numbers = new Set<number>()
    for (const side of this.#sides.values()) for (const seq of side.parts.keys()) numbers.add(seq)
    return [...numbers].filter((seq) => !this.#taken.has(seq) && this.#complete(seq)).sort((a, b) => a - b)
  }

  #complete(seq: number): boolean {
    for (const side of this.#sides.values())
      if (!side.parts.has(seq) && !(side.shape === 'object' && side.parts.has(0))) return false
    return true
  }

  /** Drops the values no later item can need: item 0 stays while its parent may still prove to be an object. */
  #forget(taken: Ready[]): void {
    const single = this.#sides.size === 1
    for (const side of this.#sides.values()) {
      for (const { seq } of taken) if (single || seq > 0) side.parts.delete(seq)
      if (side.shape === 'stream' && this.#taken.has(0)) side.parts.delete(0)
    }
  }

  #side(parent: string): Side {
    const side = this.#sides.get(parent)
    if (!side) throw new Error(`'${parent}' is no parent of this join.`)
    return side
  }
}
