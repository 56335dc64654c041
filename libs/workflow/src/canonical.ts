/**
 * JSON with the keys of every object sorted, without white space: the same text for the same value, in whatever order its fields were
 * written. Empty for `undefined`.
 */
export function canonical(value: unknown): string {
  return (
    JSON.stringify(value, (_key, part: unknown) =>
      typeof part === 'object' && part !== null && !Array.isArray(part)
        ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
        : part,
    ) ?? ''
  )
}
