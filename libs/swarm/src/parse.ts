/** Reads a profile from outside; errors name the field that is wrong. */
import {
  type Distribution,
  PROFILE_COLUMNS,
  type Profile,
  type TaskProfile,
  type TierProfile,
} from './profile.ts'

/** A profile that cannot be used; the message says where and how to fix it. */
export class ProfileError extends Error {
  /** Where in the value, such as `tasks.faceRecognition.cloud.serviceMs.mean`. */
  readonly path: string

  constructor(path: string, message: string) {
    super(`The profile is wrong at '${path}': ${message}`)
    this.name = 'ProfileError'
    this.path = path
  }
}

type Fields = Record<string, unknown>

function fields(value: unknown, path: string, required: string[], optional: string[] = []): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new ProfileError(path, `it must be an object, not ${describe(value)}.`)
  for (const name of required)
    if (!Object.hasOwn(value, name)) throw new ProfileError(path, `the field '${name}' is missing.`)
  const known = [...required, ...optional]
  for (const name of Object.keys(value))
    if (!known.includes(name))
      throw new ProfileError(`${path}.${name}`, `this field is unknown here; known: ${known.join(', ')}.`)
  return value as Fields
}

function describe(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  return typeof value === 'object' ? 'an object' : `the ${typeof value} ${JSON.stringify(value)}`
}

function nonNegative(value: unknown, path: string): number {
  if (typeof value !== 'number' || !Number.isFinite(value) || value < 0)
    throw new ProfileError(path, `it must be a number of at least 0, not ${describe(value)}.`)
  return value
}

function text(value: unknown, path: string): string {
  if (typeof value !== 'string') throw new ProfileError(path, `it must be text, not ${describe(value)}.`)
  return value
}

function distribution(value: unknown, path: string): Distribution {
  const read = fields(value, path, ['mean', 'quantiles', 'samples'])
  const mean = nonNegative(read.mean, `${path}.mean`)
  const samples = nonNegative(read.samples, `${path}.samples`)
  if (!Number.isInteger(samples)) throw new ProfileError(`${path}.samples`, 'it must be a whole number.')
  if (!Array.isArray(read.quantiles) || read.quantiles.length < 2)
    throw new ProfileError(
      `${path}.quantiles`,
      'it must be a list of at least two numbers, minimum and maximum.',
    )
  const quantiles = read.quantiles.map((each, index) => nonNegative(each, `${path}.quantiles[${index}]`))
  for (const [index, each] of quantiles.entries())
    if (index > 0 && each < (quantiles[index - 1] ?? 0))
      throw new ProfileError(`${path}.quantiles[${index}]`, 'quantiles must not fall; sort them.')
  const last = quantiles.at(-1) ?? 0
  const first = quantiles[0] ?? 0
  const slack = 1e-9 * last
  if (mean < first - slack || mean > last + slack)
    throw new ProfileError(`${path}.mean`, `${mean} lies outside the quantiles, ${first} to ${last}.`)
  return { mean, quantiles, samples }
}

function tierProfile(value: unknown, path: string): TierProfile {
  const read = fields(value, path, ['serviceMs', 'outputBytes', 'outputsPerInvocation'])
  return {
    serviceMs: distribution(read.serviceMs, `${path}.serviceMs`),
    outputBytes: distribution(read.outputBytes, `${path}.outputBytes`),
    outputsPerInvocation: nonNegative(read.outputsPerInvocation, `${path}.outputsPerInvocation`),
  }
}

/**
 * Reads a profile from JSON text or from a value that JSON text gave.
 * @throws ProfileError naming the place, what is wrong there, and what is expected
 */
export function parseProfile(json: unknown): Profile {
  let value = json
  if (typeof json === 'string')
    try {
      value = JSON.parse(json)
    } catch (error) {
      throw new ProfileError('(file)', `it is not JSON: ${error instanceof Error ? error.message : error}`)
    }
  const read = fields(value, '(root)', ['schema', 'note', 'tasks'])
  if (read.schema !== 'hivemind.profile/1')
    throw new ProfileError('schema', `it must be "hivemind.profile/1", not ${describe(read.schema)}.`)
  const note = text(read.note, 'note')
  if (typeof read.tasks !== 'object' || read.tasks === null || Array.isArray(read.tasks))
    throw new ProfileError('tasks', `it must be an object, not ${describe(read.tasks)}.`)
  const tasks: [string, TaskProfile][] = []
  for (const [name, each] of Object.entries(read.tasks)) {
    const path = `tasks.${name}`
    const task = fields(each, path, ['origin'], [...PROFILE_COLUMNS])
    if (task.origin !== 'measured' && task.origin !== 'assumed')
      throw new ProfileError(
        `${path}.origin`,
        `it must be "measured" or "assumed", not ${describe(task.origin)}.`,
      )
    const known = PROFILE_COLUMNS.filter((column) => task[column] !== undefined)
    if (known.length === 0)
      throw new ProfileError(
        path,
        `it needs at least one of ${PROFILE_COLUMNS.map((column) => `'${column}'`).join(', ')}.`,
      )
    const profile: TaskProfile = { origin: task.origin }
    for (const column of known) profile[column] = tierProfile(task[column], `${path}.${column}`)
    tasks.push([name, profile])
  }
  return { schema: 'hivemind.profile/1', note, tasks: Object.fromEntries(tasks) }
}
