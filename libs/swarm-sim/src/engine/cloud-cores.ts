/** The cores of the cloud: which waiting function runs next. */
import type { Model } from '../model/model.ts'
import type { TaskWiring } from '../model/wiring.ts'
import { ASKED_AT, TASK, type Tokens } from './tokens.ts'
import { WaitingLines } from './waiting-lines.ts'

const NONE = -1
/** The line of all functions that are not isolated. */
const SHARED = 0

/**
 * Every running function needs a core. Isolated ones have one each reserved for them, where there are more cores than such
 * functions; beyond that one, their instances share the rest with all others.
 */
export class CloudCores {
  private readonly tokens: Tokens
  private readonly lines: WaitingLines
  /** Shared cores that are free. */
  private free: number
  private waiting = 0
  /** For every task its line; lines of isolated tasks from 1 on. */
  private readonly lineOf: Int32Array
  /** For every line of an isolated task, the token on its own core, -1 when that is free. */
  private readonly onOwn: Int32Array

  constructor({ cloud, tasks }: Model, tokens: Tokens, wiring: readonly TaskWiring[]) {
    const isolated = tasks.map(
      ({ isIsolated, hardware, gap }) => isIsolated && hardware === 'cloud' && gap === null,
    )
    const count = isolated.filter(Boolean).length
    const own = cloud.slots > count ? count : 0
    let lines = 1
    this.lineOf = Int32Array.from(isolated, (each) => (each && own > 0 ? lines++ : SHARED))
    this.tokens = tokens
    this.lines = new WaitingLines(lines, tokens, wiring)
    this.free = cloud.slots - own
    this.onOwn = new Int32Array(lines).fill(NONE)
  }

  get isEmpty(): boolean {
    return this.waiting === 0
  }

  /** Takes a core for a function that asks for one; false when it has to wait. */
  enter(token: number): boolean {
    const line = this.line(token)
    if (line === SHARED && this.waiting === 0 && this.free > 0) {
      this.free--
      return true
    }
    if (this.lines.isEmpty(line) && this.take(line, token)) return true
    this.lines.push(line, token)
    this.waiting++
    return false
  }

  /** Gives back the core of a function. */
  leave(token: number): void {
    const line = this.line(token)
    if (line === SHARED) this.free++
    else if (this.onOwn[line] === token) this.onOwn[line] = NONE
    else this.free++
  }

  /** The waiting function that gets a core now; -1 when none does. */
  next(): number {
    if (this.onOwn.length === 1) return this.free > 0 ? this.start(SHARED) : NONE
    let best = NONE
    for (let line = 0; line < this.onOwn.length; line++) {
      const head = this.lines.head(line)
      if (head < 0) continue
      if (line !== SHARED && this.onOwn[line] === NONE) return this.start(line)
      if (this.free > 0 && (best < 0 || this.askedAt(head) < this.askedAt(this.lines.head(best)))) best = line
    }
    return best < 0 ? NONE : this.start(best)
  }

  private start(line: number): number {
    const token = this.lines.shift(line)
    if (token < 0) return NONE
    this.waiting--
    this.take(line, token)
    return token
  }

  private take(line: number, token: number): boolean {
    if (line !== SHARED && this.onOwn[line] === NONE) {
      this.onOwn[line] = token
      return true
    }
    if (this.free === 0) return false
    this.free--
    return true
  }

  private line(token: number): number {
    return this.lineOf[this.tokens.ints[(token << 3) | TASK] as number] as number
  }

  private askedAt(token: number): number {
    return this.tokens.time(token, ASKED_AT)
  }
}
