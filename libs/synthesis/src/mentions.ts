/** Which other files code mentions, as far as its text shows that. */

const MAX_CODE_BYTES = 2_000_000
const CODE = /\.(py|[cm]?[jt]s)$/
const PYTHON_IMPORT = /^[ \t]*(?:from[ \t]+([\w.]+)[ \t]+)?import[ \t]+(\([^)]*\)|[^\n#;]+)/gm
const QUOTED = /(['"`])([\w./@-]+)\1/g
/** An import of something that is computed: it may be any file. */
const COMPUTED = [
  /\b(?:import|require|import_module|__import__|run_path|run_module|spec_from_file_location)\s*\(\s*(?!['"][^'"]*['"]\s*[,)])[^)\s]/,
  /\bimport\s*\(\s*`[^`]*\$\{/,
]

/** Stands for every file. */
export const ANY_FILE = '*'

/** Whether the text of a file of this path and size may mention others. A workflow names its tasks, but reads none of them. */
export const isCode = (path: string, bytes: number): boolean =>
  CODE.test(path) && !path.endsWith('.hive.py') && bytes <= MAX_CODE_BYTES

/** The name by which code mentions a file: without its folder and extensions. */
export function mentionedAs(path: string): string {
  const file = path.slice(path.lastIndexOf('/') + 1)
  const dot = file.indexOf('.', 1)
  return dot < 0 ? file : file.slice(0, dot)
}

/**
 * What code mentions: the parts of what it imports or quotes, sorted, as `mentionedAs` gives them; `ANY_FILE` when it
 * computes what it imports. More than it really reads, never less.
 */
export function mentionsIn(path: string, text: string): string[] {
  const names = new Set<string>()
  const addParts = (mention: string): void => {
    for (const part of mention.split('/'))
      if (part !== '' && !/^\.+$/.test(part)) names.add(mentionedAs(part))
    for (const part of mention.split(/[^\w-]+/)) if (part !== '') names.add(part)
  }
  for (const [, , quoted = ''] of text.matchAll(QUOTED)) addParts(quoted)
  if (path.endsWith('.py'))
    for (const [, from = '', what = ''] of text.matchAll(PYTHON_IMPORT)) addParts(`${from} ${what}`)
  if (COMPUTED.some((pattern) => pattern.test(text))) names.add(ANY_FILE)
  return [...names].sort()
}
