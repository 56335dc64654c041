/** Keeps tasks of a `Serial` pair apart: for one item on one device, the second waits until the first has ended. */

interface Holder {
  task: number
  lane: number
  seq: number
}

export class SerialPairs<J extends Holder> {
  /** By pair and item: who runs, and who waits for it. */
  readonly #held = new Map<string, { running: number; waiting: J[] }>()

  /** Takes the item for a job; when a partner has it, remembers the job and returns false. */
  enter(job: J, partners: readonly number[]): boolean {
    for (const other of partners) {
      const held = this.#held.get(keyOf(job, other))
      if (!held) continue
      held.waiting.push(job)
      return false
    }
    for (const other of partners) this.#held.set(keyOf(job, other), { running: job.task, waiting: [] })
    return true
  }

  /** Gives the item up; returns the jobs that may try again. */
  leave(job: J, partners: readonly number[]): J[] {
    const freed: J[] = []
    for (const other of partners) {
      const key = keyOf(job, other)
      freed.push(...(this.#held.get(key)?.waiting ?? []))
      this.#held.delete(key)
    }
    return freed
  }
}

/** The same for both tasks of the pair. */
function keyOf({ task, lane, seq }: Holder, other: number): string {
  return task < other ? `${task} ${other} ${lane} ${seq}` : `${other} ${task} ${lane} ${seq}`
}
