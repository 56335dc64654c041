/** Events that only observe a run: when no others are left, the run is over. */
import type { Agenda } from './agenda.ts'

export class Watch {
  readonly #agenda: Agenda
  #pending = 0
  #isOver = false

  constructor(agenda: Agenda) {
    this.#agenda = agenda
  }

  /** Whether nothing of the run's own was left when the last of them came. */
  get isOver(): boolean {
    return this.#isOver
  }

  push(kind: number, time: number, token: number): void {
    this.#pending++
    this.#agenda.push(kind, time, token)
  }

  /** One has come: whether the run still goes on. */
  goesOn(): boolean {
    this.#pending--
    this.#isOver ||= this.#agenda.size === this.#pending
    return !this.#isOver
  }

  /** There is work again. */
  again(): void {
    this.#isOver = false
  }
}
