import { InvalidArgumentError } from 'commander'

/** A reader of whole numbers for an option: `whole(1, 64)`. */
export function whole(low: number, high: number): (text: string) => number {
  return (text) => {
    const value = Number(text)
    if (!Number.isInteger(value) || value < low || value > high)
      throw new InvalidArgumentError(`It must be a whole number from ${low} to ${high}.`)
    return value
  }
}

/** Collects `--input name=json` options. */
export function input(text: string, before: Record<string, unknown> = {}): Record<string, unknown> {
  const at = text.indexOf('=')
  if (at < 1) throw new InvalidArgumentError('It must be NAME=JSON.')
  try {
    return { ...before, [text.slice(0, at)]: JSON.parse(text.slice(at + 1)) }
  } catch {
    throw new InvalidArgumentError(`What follows '${text.slice(0, at + 1)}' must be JSON.`)
  }
}
