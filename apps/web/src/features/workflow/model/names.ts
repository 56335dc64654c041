/** Names that a workflow does not use yet. */

/** `name`, or `name` with the smallest number from 2 that makes it unused. */
export function freeName(name: string, taken: ReadonlySet<string>): string {
  if (!taken.has(name)) return name
  const stem = name.replace(/\d+$/, '') || name
  for (let n = 2; ; n++) if (!taken.has(`${stem}${n}`)) return `${stem}${n}`
}

/** Whether the language accepts it as a name without quotes. */
export const isName = (text: string): boolean => /^[\p{L}_][\p{L}\p{N}_]*$/u.test(text) && !reserved.has(text)

const reserved = new Set(
  'False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield'.split(
    ' ',
  ),
)
