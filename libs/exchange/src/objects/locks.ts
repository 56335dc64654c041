/** Turns on objects: one operation or one lock at a time on each, in the order they came in. */
import { ExchangeError } from '../errors.ts'
import { LOCK_LEASE_MS } from './leases.ts'

interface Lock {
  names: ReadonlySet<string>
  granted: Promise<void>
  /** Set by `unlock`: operations that come later are refused. */
  hasEnded: boolean
  /** Ends with the last operation inside the lock. */
  busy: Promise<unknown>
  release(): void
}

/** The turns of operations and locks. Several objects are taken at once, so that two turns never wait for each other. */
export class Locks {
  readonly #tails = new Map<string, Promise<unknown>>()
  readonly #locks = new Map<string, Lock>()

  /** Runs an action when all earlier turns on the objects have ended. */
  run<T>(names: Iterable<string>, action: () => T | Promise<T>): Promise<T> {
    const all = [...new Set(names)]
    const result = Promise.all(all.map((name) => this.#tails.get(name))).then(action)
    const tail = result.then(
      () => {},
      () => {},
    )
    for (const name of all) this.#tails.set(name, tail)
    void tail.then(() => {
      for (const name of all) if (this.#tails.get(name) === tail) this.#tails.delete(name)
    })
    return result
  }

  /**
   * Runs an action inside a lock. Rejects with `ExchangeError` when the lock is over, and the last action in it too, or does not include
   * the objects.
   */
  runInside<T>(token: string, names: readonly string[], action: () => T | Promise<T>): Promise<T> {
    const lock = this.#locks.get(token)
    if (!lock || lock.hasEnded)
      return Promise.resolve(lock?.busy).then(() => {
        throw new ExchangeError(
          `The lock is over: it is released after ${LOCK_LEASE_MS} ms. Lock the objects again, and do less in one lock.`,
        )
      })
    const outside = names.find((name) => !lock.names.has(name))
    if (outside !== undefined)
      return Promise.reject(new ExchangeError(`The object '${outside}' is not in the lock: lock it too.`))
    const result = Promise.all([lock.granted, lock.busy]).then(action)
    lock.busy = result.then(
      () => {},
      () => {},
    )
    return result
  }

  /** Takes objects until `unlock` or the end of the lease. The same token again waits for the same lock. */
  lock(token: string, names: readonly string[]): Promise<void> {
    const known = this.#locks.get(token)
    if (known) return known.granted
    let release = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    let grant = () => {}
    const granted = new Promise<void>((resolve) => {
      grant = resolve
    })
    this.#locks.set(token, {
      names: new Set(names),
      granted,
      hasEnded: false,
      busy: Promise.resolve(),
      release,
    })
    void this.run(names, () => {
      grant()
      const timer = setTimeout(() => this.unlock(token), LOCK_LEASE_MS).unref()
      return released.finally(() => clearTimeout(timer))
    })
    return granted
  }

  /** Ends a lock, after the operations inside it. An unknown token is a lock that has ended. */
  unlock(token: string): void {
    const lock = this.#locks.get(token)
    if (!lock || lock.hasEnded) return
    lock.hasEnded = true
    void lock.busy.then(() => {
      this.#locks.delete(token)
      lock.release()
    })
  }
}
