/** What Python itself says of a text. */
import { spawnSync } from 'node:child_process'

const SCRIPT = `
import ast, json, sys, warnings
warnings.simplefilter('ignore')
result = []
for text in json.load(sys.stdin):
    try:
        ast.parse(text.removeprefix('\\ufeff'))
        result.append(None)
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        result.append(str(error))
json.dump(result, sys.stdout)
`

/** For each text `null` when Python 3 parses a file with it, otherwise its complaint. One process for all. */
export function pythonSays(texts: readonly string[]): (string | null)[] {
  const { stdout, status, stderr } = spawnSync('python3', ['-c', SCRIPT], {
    input: JSON.stringify(texts),
    encoding: 'utf8',
    maxBuffer: 1 << 30,
  })
  if (status !== 0) throw new Error(`python3 ended with ${status}: ${stderr}`)
  return JSON.parse(stdout) as (string | null)[]
}
