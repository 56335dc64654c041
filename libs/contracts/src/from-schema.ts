/** Zod schemas of the records that `libs/swarm` declares. */
import { type Field, type Fields, type Quantity, rangeRule, type Schema, type TypeOf } from '@hivemind/swarm'
import { z } from 'zod'

/** By identity, so that what is used in several records is one schema, and one component of the OpenAPI document. */
const made = new Map<Schema, z.ZodType>()

/** The zod schema of a record's schema; strict: unknown fields are refused. */
export function zodOf<const S extends Schema>(schema: S): z.ZodType<TypeOf<S>> {
  const known = made.get(schema)
  if (known) return known as z.ZodType<TypeOf<S>>
  const zod = build(schema)
  // Scalars stand in many places and need no name.
  if ('values' in schema || 'fields' in schema || 'variants' in schema) made.set(schema, zod)
  return zod as z.ZodType<TypeOf<S>>
}

function build(schema: Schema): z.ZodType {
  switch (schema.kind) {
    case 'string':
      return schema.max === undefined ? z.string() : z.string().max(schema.max)
    case 'number':
      return within(z.number(), schema)
    case 'integer':
      return within(z.number().int(), schema)
    case 'boolean':
      return z.boolean()
    case 'unknown':
      return z.unknown()
    case 'enum':
      return z.enum(schema.values)
    case 'list': {
      const { min, max } = schema
      const entries = z.array(zodOf(schema.of))
      const enough = min === undefined ? entries : entries.min(min)
      return max === undefined ? enough : enough.max(max)
    }
    case 'record':
      return z.strictObject(shapeOf(schema.fields))
    case 'variants': {
      const [first, ...rest] = Object.entries(schema.variants).map(([type, fields]) =>
        z.strictObject({ type: z.literal(type), ...shapeOf(fields) }),
      )
      if (!first) throw new TypeError('A schema of variants needs one.')
      return z.discriminatedUnion('type', [first, ...rest])
    }
  }
}

/** With the range of its quantity, which a refusal names. */
function within(
  zod: z.ZodNumber,
  { kind, quantity }: { kind: 'number' | 'integer'; quantity?: Quantity },
): z.ZodNumber {
  if (!quantity) return zod
  const error = rangeRule(kind, quantity)
  return zod.min(quantity.min, error).max(quantity.max, error)
}

const fieldOf = (field: Field): z.ZodType =>
  field.kind === 'optional' ? zodOf(field.of).optional() : zodOf(field)

const shapeOf = (fields: Fields): Record<string, z.ZodType> =>
  Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, fieldOf(field)]))
