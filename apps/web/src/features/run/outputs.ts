/** Headlines of outputs, and parsing of typed inputs. Pure. */
import type { RunOutput } from '../../api/types.ts'
import { bytesOf } from '../reports/bytes.ts'

/** One value of an output, shown in large type. */
export interface Headline {
  task: string
  data: string
  label: string
  value: string
}

/** Splits a name into words: `uniquePeople` and `unique_people` become `Unique people`. */
export function words(name: string): string {
  const spaced = name
    .replace(/[_-]+/g, ' ')
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .trim()
    .toLowerCase()
  return spaced.charAt(0).toUpperCase() + spaced.slice(1)
}

const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value)
const printed = (value: number) =>
  Number.isInteger(value) ? value.toLocaleString('en-GB') : String(Number(value.toPrecision(4)))
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * The one value that summarises an output: the number or short text itself, or the first number of an object.
 * `undefined` when there is none.
 */
function summaryOf(output: RunOutput): { label: string; value: string } | undefined {
  const { value } = output
  if (isNumber(value)) return { label: words(output.data), value: printed(value) }
  if (typeof value === 'boolean') return { label: words(output.data), value: value ? 'Yes' : 'No' }
  if (typeof value === 'string' && value.length > 0 && value.length <= 60)
    return { label: words(output.data), value }
  if (!isObject(value) || bytesOf(value)) return undefined
  for (const [key, inner] of Object.entries(value))
    if (isNumber(inner)) return { label: words(key), value: printed(inner) }
  return undefined
}

/**
 * The headlines of a run, at most `limit`: for each sink, the newest output of the whole swarm (device `*`) or, without
 * one, of the sink's first device.
 */
export function headlines(outputs: readonly RunOutput[], sinks: readonly string[], limit = 4): Headline[] {
  const result: Headline[] = []
  for (const task of sinks) {
    const own = outputs.filter((output) => output.task === task)
    const wide = own.filter((output) => output.device === '*')
    const device = own[0]?.device
    const candidates = wide.length > 0 ? wide : own.filter((output) => output.device === device)
    for (const output of candidates.toSorted((a, b) => b.seq - a.seq)) {
      const summary = summaryOf(output)
      if (!summary) continue
      result.push({ task, data: output.data, ...summary })
      break
    }
  }
  return result.slice(0, limit)
}

/** Parses typed inputs: a JSON object, or a sentence that says why it is none. Empty text gives no inputs. */
export function parseInputs(text: string): { value: Record<string, unknown> } | { error: string } {
  if (text.trim() === '') return { value: {} }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    return {
      error: `The inputs are not valid JSON: ${error instanceof Error ? error.message : String(error)}`,
    }
  }
  return isObject(value)
    ? { value }
    : { error: 'The inputs must be one JSON object with a member for each input, such as {"route": [1, 2]}.' }
}
