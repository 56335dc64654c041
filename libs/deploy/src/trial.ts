/** Trying the functions of a new deployment on a share of the calls, and what is concluded from them (a canary). */
import type { FunctionEndpoint } from './functions/client.ts'

/** How a new deployment is tried. */
export interface CanaryOptions {
  /** Share of the calls of changed functions that go to the new ones, above 0 and at most 0.5. */
  share: number
  /** Calls of the new functions after which is judged. */
  calls: number
  /** Longest time until then, in ms. */
  limitMs: number
}

/** So many failed calls of the new functions are no accident. */
const MIN_FAILED = 3
/** The share of failed calls may be so much higher than that of the functions before. */
const MORE_FAILED = 0.05
/** The median time of a task may be so many times that of before, and so many ms on top. */
const SLOWER = 1.5
const SLOWER_MS = 10
/** Calls of a task on either side without which its times say nothing. */
const MIN_TIMED = 20
/** The newest times of a task that are kept. */
const MAX_TIMES = 1_000
const TINY = 1e-9

/** Calls of one version: of the functions before, or of the new ones. */
export interface Seen {
  calls: number
  failed: number
  lastError: string
  /** Times of calls that succeeded, in ms, by task. */
  times: Map<string, number[]>
}

/** A new deployment that did worse than the one before, or that could not be judged. */
export class TrialError extends Error {
  override readonly name = 'TrialError'
}

/**
 * What two versions' calls say, as a sentence: `good`, `bad`, or `undefined` while it is too early. Failures: at least 3, and
 * a share that is 5 points above that of before, are bad at once. After `calls` calls a task whose median time is more
 * than 1.5 times that of before and 10 ms is bad, when each side has at least 20 calls of it; otherwise the new version is good.
 */
export function judge(before: Seen, next: Seen, calls: number): { good: boolean; why: string } | undefined {
  const shareBefore = before.calls === 0 ? 0 : before.failed / before.calls
  if (next.failed >= MIN_FAILED && next.failed / next.calls > shareBefore + MORE_FAILED)
    return {
      good: false,
      why: `${next.failed} of ${next.calls} calls of the new functions failed, and ${before.failed} of ${before.calls} of those before. The last: ${next.lastError}`,
    }
  if (next.calls < calls) return undefined
  for (const [task, times] of next.times) {
    const timesBefore = before.times.get(task) ?? []
    if (Math.min(times.length, timesBefore.length) < MIN_TIMED) continue
    const [now, then] = [medianOf(times), medianOf(timesBefore)]
    if (now > then * SLOWER + SLOWER_MS)
      return {
        good: false,
        why: `'${task}' takes ${now.toFixed(1)} ms in the median, and took ${then.toFixed(1)} ms before.`,
      }
  }
  return { good: true, why: `${next.calls} calls of the new functions did as well as those before.` }
}

const medianOf = (times: readonly number[]): number =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0

const nothingSeen = (): Seen => ({ calls: 0, failed: 0, lastError: '', times: new Map() })

/** Where a call goes, and who is told how it went. */
export interface TriedCall {
  /** The new function; `undefined` for the one before. */
  endpoint: (() => Promise<FunctionEndpoint>) | undefined
  /** Told once, when the call has ended, with what failed. */
  ended(error?: Error): void
}

/** A share of the calls goes to new functions, until they are judged. */
export class Trial {
  /** Resolves when the new functions do as well as those before; rejects with `TrialError` when not. */
  readonly verdict: Promise<void>
  readonly #options: CanaryOptions
  readonly #next: ReadonlyMap<string, () => Promise<FunctionEndpoint>>
  readonly #onChange: () => void
  readonly #before = nothingSeen()
  readonly #seen = nothingSeen()
  /** Calls of each task so far, of both versions. */
  readonly #made = new Map<string, number>()
  readonly #settle: PromiseWithResolvers<void>
  readonly #limit: NodeJS.Timeout
  #judged = false

  /**
   * @param next where the functions that are new take calls, by name
   * @param onChange told when `message` has changed
   */
  constructor(
    options: CanaryOptions,
    next: ReadonlyMap<string, () => Promise<FunctionEndpoint>>,
    onChange: () => void,
  ) {
    this.#options = options
    this.#next = next
    this.#onChange = onChange
    this.#settle = Promise.withResolvers<void>()
    this.verdict = this.#settle.promise
    this.verdict.catch(() => {})
    this.#limit = setTimeout(() => this.#late(), options.limitMs).unref()
  }

  /** How far it is, for people. */
  get message(): string {
    const { share, calls } = this.#options
    if (this.#judged)
      return 'The trial went well; the new functions take over when the runs under way have ended.'
    return `Trying it on ${Math.round(share * 100)} % of the calls of runs on the deployment before: ${this.#seen.calls} of ${calls} calls, ${this.#seen.failed} failed.`
  }

  /**
   * Where the next call of a function goes; `undefined` when it is not tried.
   * @param task what the call counts as: the task, of a function that has several
   */
  take(name: string, task = name): TriedCall | undefined {
    const next = this.#next.get(name)
    if (!next) return undefined
    const { share } = this.#options
    const made = (this.#made.get(task) ?? 0) + 1
    this.#made.set(task, made)
    // Spread evenly; 0.1 ten times is not 1 to a computer.
    const goes = Math.floor(made * share + TINY) > Math.floor((made - 1) * share + TINY)
    const from = performance.now()
    return {
      endpoint: goes ? next : undefined,
      ended: (error) => this.#ended(goes ? this.#seen : this.#before, task, performance.now() - from, error),
    }
  }

  /** Ends it without a verdict. */
  close(): void {
    clearTimeout(this.#limit)
  }

  #ended(seen: Seen, task: string, ms: number, error: Error | undefined): void {
    seen.calls += 1
    if (error) {
      seen.failed += 1
      seen.lastError = error.message
    } else {
      const times = seen.times.get(task) ?? []
      times.push(ms)
      if (times.length > MAX_TIMES) times.shift()
      seen.times.set(task, times)
    }
    if (this.#judged) return
    const verdict = judge(this.#before, this.#seen, this.#options.calls)
    if (verdict) {
      this.#judged = true
      clearTimeout(this.#limit)
      if (verdict.good) this.#settle.resolve()
      else this.#settle.reject(new TrialError(`Reverted: ${verdict.why}`))
    }
    if (seen === this.#seen) this.#onChange()
  }

  #late(): void {
    const { calls, limitMs } = this.#options
    this.#judged = true
    this.#settle.reject(
      new TrialError(
        `Reverted: the new functions had ${this.#seen.calls} of ${calls} calls in ${Math.round(limitMs / 60_000)} min, too few to judge them. Start runs on the deployment before, or ask for fewer calls.`,
      ),
    )
  }
}
