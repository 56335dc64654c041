/** The event list: a binary heap over time, first in first out at equal times. */
export class EventQueue<T> {
  #times = new Float64Array(1024)
  #orders = new Float64Array(1024)
  readonly #payloads: T[] = []
  #size = 0
  #pushed = 0
  /** Time of the event taken last. */
  now = 0

  get size(): number {
    return this.#size
  }

  /** Adds an event; `time` is not before `now`. */
  push(time: number, payload: T): void {
    if (this.#size === this.#times.length) this.#grow()
    const order = this.#pushed++
    let hole = this.#size++
    const times = this.#times
    while (hole > 0) {
      const above = (hole - 1) >> 1
      // the new event is the last of its time, so it never passes an equal one
      if ((times[above] as number) <= time) break
      this.#move(above, hole)
      hole = above
    }
    this.#set(hole, time, order, payload)
  }

  /** Takes the earliest event and moves `now` to it. */
  pop(): T | undefined {
    if (this.#size === 0) return undefined
    const top = this.#payloads[0] as T
    this.now = this.#times[0] as number
    const last = --this.#size
    const time = this.#times[last] as number
    const order = this.#orders[last] as number
    const payload = this.#payloads.pop() as T
    if (last > 0) this.#sink(time, order, payload)
    return top
  }

  #sink(time: number, order: number, payload: T): void {
    let hole = 0
    for (;;) {
      let below = 2 * hole + 1
      if (below >= this.#size) break
      if (below + 1 < this.#size && this.#before(below + 1, below)) below++
      const belowTime = this.#times[below] as number
      if (time < belowTime || (time === belowTime && order < (this.#orders[below] as number))) break
      this.#move(below, hole)
      hole = below
    }
    this.#set(hole, time, order, payload)
  }

  #before(a: number, b: number): boolean {
    const timeA = this.#times[a] as number
    const timeB = this.#times[b] as number
    return timeA < timeB || (timeA === timeB && (this.#orders[a] as number) < (this.#orders[b] as number))
  }

  #move(from: number, to: number): void {
    this.#set(to, this.#times[from] as number, this.#orders[from] as number, this.#payloads[from] as T)
  }

  #set(at: number, time: number, order: number, payload: T): void {
    this.#times[at] = time
    this.#orders[at] = order
    this.#payloads[at] = payload
  }

  #grow(): void {
    const times = new Float64Array(this.#times.length * 2)
    const orders = new Float64Array(this.#times.length * 2)
    times.set(this.#times)
    orders.set(this.#orders)
    this.#times = times
    this.#orders = orders
  }
}
