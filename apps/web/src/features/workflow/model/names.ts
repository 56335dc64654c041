/** Names that a workflow does not use yet. */

/** `wanted`, or it with the first number from 2 that makes it free. */
export function freeName(wanted: string, taken: ReadonlySet<string>): string {
  if (!taken.has(wanted)) return wanted
  const stem = wanted.replace(/\d+$/, '') || wanted
  for (let n = 2; ; n++) if (!taken.has(`${stem}${n}`)) return `${stem}${n}`
}

/** Whether the language takes it as a bare name. */
export const isName = (text: string): boolean => /^[\p{L}_][\p{L}\p{N}_]*$/u.test(text) && !reserved.has(text)

const reserved = new Set(
  'False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield'.split(
    ' ',
  ),
)
