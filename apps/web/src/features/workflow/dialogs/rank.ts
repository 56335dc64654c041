import { defaultFilter } from 'cmdk'

/**
 * How well an entry of the command palette fits what was typed, from 0 to 1: entries with the very words come first, then those
 * with words that begin like them, then those with the same letters in their order.
 */
export function rank(entry: string, typed: string): number {
  const words = entry.toLowerCase().split(/[^\p{L}\p{N}]+/u)
  const wanted = typed
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)
  const similar = defaultFilter(entry, typed)
  if (wanted.length === 0) return similar
  if (wanted.every((one) => words.includes(one))) return 0.9 + similar / 10
  if (wanted.every((one) => words.some((word) => word.startsWith(one)))) return 0.7 + similar / 10
  return similar / 2
}
