/** Task arguments as text of an input field. */
import type { ArgValue } from '@hivemind/workflow'

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/

/** Parses the text of a field. Words without quotes are strings. */
export function readArg(text: string): ArgValue {
  const trimmed = text.trim()
  if (trimmed === 'True' || trimmed === 'true') return true
  if (trimmed === 'False' || trimmed === 'false') return false
  if (trimmed === 'None') return null
  if (NUMBER.test(trimmed)) return Number(trimmed)
  if (/^["[{]/.test(trimmed))
    try {
      return JSON.parse(trimmed) as ArgValue
    } catch {
      return text
    }
  return text
}

/** Prints a value as text that `readArg` parses to the same value. */
export function showArg(value: ArgValue): string {
  if (typeof value === 'string') return readArg(value) === value ? value : JSON.stringify(value)
  if (value === true) return 'True'
  if (value === false) return 'False'
  if (value === null) return 'None'
  return typeof value === 'number' ? String(value) : JSON.stringify(value)
}
