/** Which other files code mentions, as far as its text shows that. */

/** Longer code is not read for what it mentions: it may be anything. */
const MAX_CODE_BYTES = 2_000_000
const CODE = /\.(py|[cm]?[jt]s)$/
const PYTHON_IMPORT =
  /(?:^|[;:])[ \t]*(?:from[ \t]+([\w.]+)[ \t]+)?import[ \t]+(\([^)]*\)|(?:\\\r?\n|[^\n#;\\])+)/gm
const QUOTED = /(['"`])([\w./@-]+)\1/g
const LOADERS = 'require|import_module|__import__|run_path|run_module|spec_from_file_location'
/** An import of something that is computed: it may be any file. */
const COMPUTED = [
  // A call with anything but a string, or with one that has holes.
  new RegExp(`\\b(?:import|${LOADERS})\\s*\\(\\s*(?!['"][^'"]*['"]\\s*[,)])[^)\\s]`),
  /\bimport\s*\(\s*`[^`]*\$\{/,
  // A loader under another name.
  new RegExp(`\\b(?:${LOADERS})[ \\t]+as\\b|[=(,:][ \\t]*(?:\\w+\\.)*(?:${LOADERS})[ \\t]*(?:[;,)#\\n]|$)`),
  /(?<!\brequire\s*=\s*)\bcreateRequire\s*\(/,
  // Text that is run.
  /(?<![.\w])(?:exec|eval)\s*\(/,
]

/** Stands for every file. */
export const ANY_FILE = '*'

/** Whether a file is code by its name. A workflow names its tasks, but reads none of them. */
export const isCodePath = (path: string): boolean => CODE.test(path) && !path.endsWith('.hive.py')

/** Whether the text of a file is to be read for what it mentions. */
export const isCode = (path: string, bytes: number): boolean => isCodePath(path) && bytes <= MAX_CODE_BYTES

/** The name by which code mentions a file: without its folder and extensions. */
export function mentionedAs(path: string): string {
  const file = path.slice(path.lastIndexOf('/') + 1)
  const dot = file.indexOf('.', 1)
  return dot < 0 ? file : file.slice(0, dot)
}

/**
 * What code mentions: the parts of what it imports or quotes, sorted, as `mentionedAs` gives them; `ANY_FILE` when it
 * computes what it imports. Rather too much than too little; a loader that is reached in a roundabout way is not seen.
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
