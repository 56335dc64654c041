/** Small checks for data from outside. Each returns a value of the checked type, with nothing in it that is not known. */

/** What is wrong with a message from outside, with the path of the wrong field. */
export class ProtocolError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'ProtocolError'
  }
}

/** Returns the checked value. Throws `ProtocolError`. */
export type Check<T> = (value: unknown, path: string) => T

type Fields = Record<string, Check<unknown>>
type Value<C> = C extends Check<infer T> ? T : never
type Optional<F extends Fields> = { [K in keyof F]: undefined extends Value<F[K]> ? K : never }[keyof F]
type Shape<F extends Fields> = { [K in Exclude<keyof F, Optional<F>>]: Value<F[K]> } & {
  [K in Optional<F>]?: Exclude<Value<F[K]>, undefined>
}

const fail = (path: string, wanted: string): never => {
  throw new ProtocolError(`${path} must be ${wanted}.`)
}

/** A text of at most `maxLength` characters. */
export const text =
  (maxLength = 4_096): Check<string> =>
  (value, path) =>
    typeof value === 'string' && value.length <= maxLength
      ? value
      : fail(path, `a text of at most ${maxLength} characters`)

/** A whole number from `min`. */
export const whole =
  (min = 0): Check<number> =>
  (value, path) =>
    Number.isSafeInteger(value) && (value as number) >= min
      ? (value as number)
      : fail(path, `a whole number from ${min}`)

/** A finite number from `min`. */
export const number =
  (min = Number.NEGATIVE_INFINITY): Check<number> =>
  (value, path) =>
    typeof value === 'number' && Number.isFinite(value) && value >= min ? value : fail(path, 'a number')

export const flag: Check<boolean> = (value, path) =>
  typeof value === 'boolean' ? value : fail(path, 'true or false')

export const bytes: Check<Uint8Array> = (value, path) =>
  value instanceof Uint8Array ? value : fail(path, 'bytes')

/** One of the given texts. */
export const oneOf =
  <const T extends string>(...options: T[]): Check<T> =>
  (value, path) =>
    options.includes(value as T) ? (value as T) : fail(path, `one of ${options.join(', ')}`)

export const nullable =
  <T>(check: Check<T>): Check<T | null> =>
  (value, path) =>
    value === null ? null : check(value, path)

export const optional =
  <T>(check: Check<T>): Check<T | undefined> =>
  (value, path) =>
    value === undefined || value === null ? undefined : check(value, path)

/** A list of at most `maxLength` items. */
export const list =
  <T>(check: Check<T>, maxLength = 100_000): Check<T[]> =>
  (value, path) =>
    Array.isArray(value) && value.length <= maxLength
      ? value.map((item, index) => check(item, `${path}[${index}]`))
      : fail(path, `a list of at most ${maxLength}`)

/** A map from names to values. */
export const record =
  <T>(check: Check<T>): Check<Record<string, T>> =>
  (value, path) =>
    isObject(value)
      ? Object.fromEntries(Object.entries(value).map(([key, item]) => [key, check(item, `${path}.${key}`)]))
      : fail(path, 'a map')

/** An object with the given fields; others are left out. */
export const object =
  <F extends Fields>(fields: F): Check<Shape<F>> =>
  (value, path) => {
    if (!isObject(value)) return fail(path, 'an object')
    const checked: Record<string, unknown> = {}
    for (const key in fields) {
      const field = fields[key]?.(value[key], path === '' ? key : `${path}.${key}`)
      if (field !== undefined) checked[key] = field
    }
    return checked as Shape<F>
  }

/** An object whose field `tag` says which of the checks holds. */
export const variant =
  <T>(tag: string, checks: Record<string, Check<T>>): Check<T> =>
  (value, path) => {
    const kind = isObject(value) ? value[tag] : undefined
    const check = typeof kind === 'string' && Object.hasOwn(checks, kind) ? checks[kind] : undefined
    return check
      ? check(value, path)
      : fail(`${path}${path === '' ? '' : '.'}${tag}`, `one of ${Object.keys(checks).join(', ')}`)
  }

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array)
