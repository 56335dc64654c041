import { FabricError } from './error.ts'

/** A hard parameter of an engine, as the generator exports it: changing it needs a new bitstream. */
export interface HardParameter {
  name: string
  default: number
  /** Every value it may take. */
  values: number[]
  unit: string
  /** The values in words. */
  limits: string
  doc: string
}

/** The hard parameters of each engine, and of the shell around them. */
export type Schema = Record<string, HardParameter[]>

/** Values by name, `engine.parameter`. */
export type Parameters = Record<string, number>

/** What every fabric has, and no choice of engines names. */
export const SHELL = 'shell'

/**
 * The engines that a text names: `all`, or names joined by `+`, in any order. They are given in the order of the schema. Throws `bad-parameters`
 * that lists the engines.
 */
export function enginesOf(schema: Schema, text: string): string[] {
  const known = Object.keys(schema).filter((name) => name !== SHELL)
  const asked = text === 'all' ? known : text.split('+')
  const unknown = asked.find((name) => !known.includes(name))
  if (unknown !== undefined)
    throw new FabricError(
      'bad-parameters',
      `There is no engine '${unknown}'. There are: ${known.join(', ')}; several are joined by +, or named together by 'all'.`,
    )
  return known.filter((name) => asked.includes(name))
}

/**
 * Completes settings for the shell and some engines by the schema's defaults. A setting is named `engine.parameter`, or
 * `parameter` alone where only one of them has it. Throws `bad-parameters` that names the parameter and its limits.
 */
export function resolveParameters(
  schema: Schema,
  engines: readonly string[],
  settings: Parameters,
): Parameters {
  const all = [SHELL, ...engines].flatMap((engine) =>
    (schema[engine] ?? []).map((parameter) => ({ key: `${engine}.${parameter.name}`, parameter })),
  )
  const resolved = Object.fromEntries(all.map(({ key, parameter }) => [key, parameter.default]))
  for (const [name, value] of Object.entries(settings)) {
    const found = all.filter(({ key, parameter }) => key === name || parameter.name === name)
    const [one] = found
    if (!one)
      throw new FabricError(
        'bad-parameters',
        `There is no parameter '${name}'. There are: ${all.map(({ key }) => key).join(', ')}.`,
      )
    if (found.length > 1)
      throw new FabricError(
        'bad-parameters',
        `Several engines have a parameter '${name}': name one of ${found.map(({ key }) => key).join(', ')}.`,
      )
    if (!one.parameter.values.includes(value))
      throw new FabricError('bad-parameters', `${name} must be ${one.parameter.limits}, not ${value}.`)
    resolved[one.key] = value
  }
  return resolved
}
