/** The program that runs task code of each runtime, and what it needs of the disk. */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { inPlace, type Mount } from './mounts.ts'

/** A Python as it sees itself. */
interface PythonLayout {
  executable: string
  prefixes: string[]
  path: string[]
  /** Base folder of packages that its user installed. */
  userBase: string | null
}

/** A runtime inside a sandbox. */
export interface Runtime {
  program: string
  mounts: Mount[]
  env: Record<string, string>
}

const QUESTION = `import json, site, sys
print(json.dumps({
    'executable': sys.executable,
    'prefixes': [sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix],
    'path': sys.path,
    'userBase': site.getuserbase() if site.ENABLE_USER_SITE else None,
}))`
const QUESTION_LIMIT_MS = 30_000
const PREFIX_PARTS = ['bin', 'lib', 'lib64', 'pyvenv.cfg']

export const nodeRuntime = (): Runtime => ({
  program: process.execPath,
  mounts: [inPlace(process.execPath)],
  env: {},
})

const layouts = new Map<string, PythonLayout>()

/** The Python of that name with its packages; `undefined` when it does not answer, as a missing one does. */
export function pythonRuntime(name: string, env: Record<string, string>): Runtime | undefined {
  const layout = layouts.get(name) ?? askPython(name, env)
  if (!layout) return undefined
  layouts.set(name, layout)
  const { executable, prefixes, userBase } = layout
  // a home folder on the path of modules stays closed
  const closed = new Set(['/', '', os.homedir(), process.cwd()])
  const folders = [
    executable,
    ...prefixes.flatMap((prefix) => PREFIX_PARTS.map((part) => path.join(prefix, part))),
    ...layout.path.filter((each) => path.isAbsolute(each) && !closed.has(path.resolve(each))),
  ]
  return {
    program: executable,
    mounts: folders.filter((each) => existsSync(each)).map(inPlace),
    env: userBase === null ? {} : { PYTHONUSERBASE: userBase },
  }
}

function askPython(name: string, env: Record<string, string>): PythonLayout | undefined {
  const { status, stdout } = spawnSync(name, ['-c', QUESTION], {
    env,
    timeout: QUESTION_LIMIT_MS,
    encoding: 'utf8',
  })
  if (status !== 0) return undefined
  try {
    return JSON.parse(stdout) as PythonLayout
  } catch {
    return undefined
  }
}
