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

/** Values by name, with the defaults of the schema for those that are not named. */
export type Parameters = Record<string, number>

/** Completes settings by the schema's defaults. Throws `bad-parameters` that names the parameter and its limits. */
export function resolveParameters(schema: HardParameter[], settings: Parameters): Parameters {
  for (const [name, value] of Object.entries(settings)) {
    const parameter = schema.find((each) => each.name === name)
    if (!parameter)
      throw new FabricError(
        'bad-parameters',
        `There is no parameter '${name}'. There are: ${schema.map((each) => each.name).join(', ')}.`,
      )
    if (!parameter.values.includes(value))
      throw new FabricError('bad-parameters', `${name} must be ${parameter.limits}, not ${value}.`)
  }
  return Object.fromEntries(schema.map((each) => [each.name, settings[each.name] ?? each.default]))
}
