/** Generates stubs in other languages with the Apache Thrift compiler. */
import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'

/** The compiler's generator for each language. */
const GENERATORS: Record<string, string> = {
  cpp: 'cpp',
  py: 'py',
  js: 'js:node',
  java: 'java',
  go: 'go',
  rs: 'rs',
  netstd: 'netstd',
}

/** Languages that `writeStubs` supports. */
export const STUB_LANGUAGES: readonly string[] = Object.keys(GENERATORS)

/**
 * Writes the stubs of an interface into `outDir/<language>/` and returns the paths of the files, relative to `outDir`.
 * `name` is the stem of the IDL file. The compiler is `thrift` on the PATH, or what HIVEMIND_THRIFT names.
 */
export async function writeStubs(
  idlText: string,
  languages: readonly string[],
  outDir: string,
  name = 'interface',
): Promise<string[]> {
  const unknown = languages.filter((language) => !Object.hasOwn(GENERATORS, language))
  if (unknown.length > 0)
    throw new Error(
      `Stubs in ${unknown.join(', ')} cannot be made; choose from ${STUB_LANGUAGES.join(', ')}.`,
    )
  const work = await mkdtemp(join(tmpdir(), 'hivemind-idl-'))
  try {
    const idl = join(work, `${name}.thrift`)
    await writeFile(idl, idlText)
    const files: string[] = []
    for (const language of languages) {
      const out = join(outDir, language)
      await mkdir(out, { recursive: true })
      await compile(['-strict', '--gen', GENERATORS[language] as string, '-out', out, idl])
      files.push(...(await filesIn(out)).map((path) => relative(outDir, path)))
    }
    return files
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

async function filesIn(dir: string): Promise<string[]> {
  const entries = await readdir(dir, { withFileTypes: true, recursive: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
}

function compile(args: string[]): Promise<void> {
  const compiler = process.env.HIVEMIND_THRIFT ?? 'thrift'
  return new Promise((resolve, reject) => {
    const child = spawn(compiler, args, { stdio: ['ignore', 'pipe', 'pipe'] })
    let said = ''
    child.stdout.on('data', (chunk: Buffer) => {
      said += chunk
    })
    child.stderr.on('data', (chunk: Buffer) => {
      said += chunk
    })
    child.on('error', (error: NodeJS.ErrnoException) => {
      const missing = error.code === 'ENOENT'
      const mend = "Install it (Debian: 'apt-get install thrift-compiler'), or name it in HIVEMIND_THRIFT."
      reject(
        new Error(
          missing ? `The Apache Thrift compiler '${compiler}' was not found. ${mend}` : error.message,
        ),
      )
    })
    child.on('close', (code) => {
      if (code === 0) resolve()
      else
        reject(
          new Error(`The Apache Thrift compiler refused the interface (exit code ${code}): ${said.trim()}`),
        )
    })
  })
}
