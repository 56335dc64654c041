/** What the devices compute with, when how long an invocation holds its server turns out only when it ends. */
import type { Model } from '../model/model.ts'
import { Line, ServerGroups } from '../stations.ts'

export class Places {
  readonly #groups: ServerGroups
  readonly #free: Int32Array
  readonly #lines: Line[]
  readonly #worked: Float64Array

  constructor(model: Model) {
    this.#groups = new ServerGroups(model)
    this.#free = Int32Array.from(this.#groups.servers)
    this.#lines = Array.from(this.#groups.servers, () => new Line())
    this.#worked = new Float64Array(this.#free.length)
  }

  /** An invocation asks for a server: whether it has one at once, else its token waits in line. */
  enter(device: number, task: number, token: number, workMs: number): boolean {
    const group = this.#groups.of(device, task)
    this.#worked[group] = (this.#worked[group] as number) + workMs
    if (this.#free[group] === 0) {
      this.#lines[group]?.push(token)
      return false
    }
    this.#free[group] = (this.#free[group] as number) - 1
    return true
  }

  /** A server is free again: the token that has it now, -1 when none waits. */
  leave(device: number, task: number): number {
    const group = this.#groups.of(device, task)
    const line = this.#lines[group]
    if (line && !line.isEmpty) return line.shift()
    this.#free[group] = (this.#free[group] as number) + 1
    return -1
  }

  /** For every device the time its cores have worked, in ms. */
  busy(): Float64Array {
    return this.#groups.byDevice(this.#worked)
  }
}
