/** Keeps tasks of a `Serial` pair apart: for one item on one device, the second waits until the first has ended. */
import type { Tokens } from './tokens.ts'

export class SerialPairs {
  readonly #tokens: Tokens
  /** By pair and item: the tokens that wait for it. */
  readonly #held = new Map<string, number[]>()

  constructor(tokens: Tokens) {
    this.#tokens = tokens
  }

  /** Takes the item for a token; when a partner has it, remembers the token and returns false. */
  enter(token: number, partners: readonly number[]): boolean {
    for (const other of partners) {
      const waiting = this.#held.get(this.#keyOf(token, other))
      if (!waiting) continue
      waiting.push(token)
      return false
    }
    for (const other of partners) this.#held.set(this.#keyOf(token, other), [])
    return true
  }

  /** Gives the item up; returns the tokens that may try again. */
  leave(token: number, partners: readonly number[]): number[] {
    const freed: number[] = []
    for (const other of partners) {
      const key = this.#keyOf(token, other)
      freed.push(...(this.#held.get(key) ?? []))
      this.#held.delete(key)
    }
    return freed
  }

  /** The same for both tasks of the pair. */
  #keyOf(token: number, other: number): string {
    const task = this.#tokens.task[token] as number
    const item = `${this.#tokens.lane[token]} ${this.#tokens.seq[token]}`
    return task < other ? `${task} ${other} ${item}` : `${other} ${task} ${item}`
  }
}
