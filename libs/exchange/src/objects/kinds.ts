/** The consistency of each object at the backend: chosen when the object is made, and kept. */
import { ConsistencyError } from '../errors.ts'

/** What an object guarantees (Vertex 4.2 and 4.3). */
export type Consistency = 'linearizable' | 'eventual' | 'serializable'

const CALLS: Record<Consistency, string> = {
  linearizable: 'objects.read, write, lock or sharedFn',
  eventual: 'objects.eventual',
  serializable: 'objects.transaction',
}

/** Consistencies by object. An object that nobody has made may become any. */
export class ObjectKinds {
  readonly #kinds = new Map<string, Consistency>()

  get(name: string): Consistency | undefined {
    return this.#kinds.get(name)
  }

  /** Throws `ConsistencyError` when an object has another consistency. */
  expect(name: string, kind: Consistency): void {
    const actual = this.#kinds.get(name)
    if (actual !== undefined && actual !== kind)
      throw new ConsistencyError(
        `The object '${name}' is ${actual}, not ${kind}: use it by ${CALLS[actual]}, or choose another name.`,
      )
  }

  /** Makes objects. Throws `ConsistencyError` when one has another consistency, and then makes none. */
  claim(names: Iterable<string>, kind: Consistency): void {
    const all = [...names]
    for (const name of all) this.expect(name, kind)
    for (const name of all) this.#kinds.set(name, kind)
  }
}
