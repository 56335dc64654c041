/**
 * Schemas of records as plain data: one declaration from which the TypeScript type (`TypeOf`), the HTTP contract
 * (`libs/contracts`) and Thrift structs (`thriftFieldsOf`) follow.
 */

/** What a person needs to know of a number: its name, its unit, and its range with both ends. */
export interface Quantity {
  readonly label: string
  /** Empty for a plain number. */
  readonly unit: string
  readonly min: number
  readonly max: number
  readonly hint?: string
}

/** What a value must be. */
export type Schema =
  | { readonly kind: 'boolean' | 'unknown' }
  /** `max` is the maximum number of characters. */
  | { readonly kind: 'string'; readonly max?: number }
  | { readonly kind: 'number' | 'integer'; readonly quantity?: Quantity }
  | { readonly kind: 'enum'; readonly values: readonly string[] }
  /** `min` and `max` bound the number of entries. */
  | { readonly kind: 'list'; readonly of: Schema; readonly min?: number; readonly max?: number }
  | { readonly kind: 'record'; readonly fields: Fields }
  /** Records told apart by their field `type`, which is the key here. */
  | { readonly kind: 'variants'; readonly variants: Readonly<Record<string, Fields>> }

/** A schema, or one of a field that may be absent. */
export type Field = Schema | { readonly kind: 'optional'; readonly of: Schema }
/** The fields of a record by name. */
export type Fields = Readonly<Record<string, Field>>

type Flat<T> = { [K in keyof T]: T[K] }
type Value<F> = F extends { kind: 'optional'; of: infer S } ? TypeOf<S> : TypeOf<F>
type OptionalKeys<F> = { [K in keyof F]: F[K] extends { kind: 'optional' } ? K : never }[keyof F]
type Shape<F> = Flat<
  { -readonly [K in Exclude<keyof F, OptionalKeys<F>>]: Value<F[K]> } & {
    -readonly [K in OptionalKeys<F>]?: Value<F[K]>
  }
>

/** The TypeScript type of the values that a schema describes. */
export type TypeOf<S> = S extends { kind: 'string' }
  ? string
  : S extends { kind: 'number' | 'integer' }
    ? number
    : S extends { kind: 'boolean' }
      ? boolean
      : S extends { kind: 'enum'; values: readonly (infer V)[] }
        ? V
        : S extends { kind: 'list'; of: infer E }
          ? TypeOf<E>[]
          : S extends { kind: 'record'; fields: infer F }
            ? Shape<F>
            : S extends { kind: 'variants'; variants: infer V }
              ? { [K in keyof V]: Flat<{ type: K } & Shape<V[K]>> }[keyof V]
              : unknown

export const string = { kind: 'string' } as const
export const number = { kind: 'number' } as const
/** A whole number. */
export const integer = { kind: 'integer' } as const
/** A number with a name, a unit and a range; `hint` says what a person should know beside them. */
export const quantity = (label: string, unit: string, min: number, max: number, hint?: string) =>
  ({ kind: 'number', quantity: { label, unit, min, max, ...(hint && { hint }) } }) as const
/** The same for a whole number. */
export const wholeQuantity = (label: string, unit: string, min: number, max: number, hint?: string) =>
  ({ kind: 'integer', quantity: { label, unit, min, max, ...(hint && { hint }) } }) as const
/** Text of at most `max` characters. */
export const text = (max: number) => ({ kind: 'string', max }) as const
export const boolean = { kind: 'boolean' } as const
/** Any JSON value. */
export const unknown = { kind: 'unknown' } as const
export const oneOf = <const V extends readonly string[]>(...values: V) => ({ kind: 'enum', values }) as const
export const list = <const S extends Schema>(of: S, size: { min?: number; max?: number } = {}) =>
  ({ kind: 'list', of, ...size }) as const
export const record = <const F extends Fields>(fields: F) => ({ kind: 'record', fields }) as const
export const variants = <const V extends Readonly<Record<string, Fields>>>(variants: V) =>
  ({ kind: 'variants', variants }) as const
export const optional = <const S extends Schema>(of: S) => ({ kind: 'optional', of }) as const

/** A field of a flat record: nested records are flattened, `breakdown.network` becoming `network`. */
export interface FlatField {
  name: string
  /** Names from the outermost record to the value. */
  path: readonly string[]
  type: 'string' | 'number' | 'integer' | 'boolean'
  optional: boolean
}

/**
 * The scalar fields of a record, those of nested records included: what a Thrift struct or a table has columns for.
 * Throws `TypeError` at a list or a field of unknown type, which have no column, and at two fields of one name.
 */
export function flatFieldsOf(schema: { kind: 'record'; fields: Fields }): FlatField[] {
  const found: FlatField[] = []
  const visit = (fields: Fields, path: readonly string[], inOptional: boolean): void => {
    for (const [name, field] of Object.entries(fields)) {
      const isOptional = inOptional || field.kind === 'optional'
      const inner = field.kind === 'optional' ? field.of : field
      if (inner.kind === 'record') visit(inner.fields, [...path, name], isOptional)
      else if (inner.kind === 'list' || inner.kind === 'variants' || inner.kind === 'unknown')
        throw new TypeError(`Field '${name}' is a ${inner.kind}, which has no column.`)
      else if (found.some((other) => other.name === name))
        throw new TypeError(`Two fields are called '${name}'.`)
      else
        found.push({
          name,
          path: [...path, name],
          type: inner.kind === 'enum' ? 'string' : inner.kind,
          optional: isOptional,
        })
    }
  }
  visit(schema.fields, [], false)
  return found
}
