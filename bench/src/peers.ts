/** Installs peers once, outside the workspace, and runs measured processes. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const cache = fileURLToPath(new URL('../../.cache/bench/', import.meta.url))

/** Path of a file in this folder's parent, such as `peers/x.py`. */
export function own(relative: string): string {
  return fileURLToPath(new URL(`../${relative}`, import.meta.url))
}

/** Writes a file that a peer reads; returns its path. */
export function scratch(name: string, text: string): string {
  mkdirSync(cache, { recursive: true })
  const file = path.join(cache, name)
  writeFileSync(file, text)
  return file
}

function must(command: string, args: string[], cwd?: string): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, encoding: 'utf8' })
  if (error || status !== 0)
    throw new Error(`'${command} ${args.join(' ')}' failed: ${error?.message ?? stderr.trim()}`)
  return stdout
}

/** A Python of its own that has the packages (`name==version`); made on first use. */
export function pythonWith(packages: string[]): string {
  const python = path.join(cache, 'venv', 'bin', 'python')
  if (!existsSync(python)) must('python3', ['-m', 'venv', path.join(cache, 'venv')])
  const have = must(python, ['-m', 'pip', 'freeze']).toLowerCase().split('\n')
  const missing = packages.filter((each) => !have.includes(each.toLowerCase()))
  if (missing.length > 0) must(python, ['-m', 'pip', 'install', '--quiet', ...missing])
  return python
}

/** The folder of an npm package of this exact version; installed on first use. */
export function npmPackage(name: string, version: string): string {
  const home = path.join(cache, 'npm')
  const folder = path.join(home, 'node_modules', name)
  if (!existsSync(folder)) {
    mkdirSync(home, { recursive: true })
    must('npm', ['install', '--no-audit', '--no-fund', '--prefix', home, `${name}@${version}`], home)
  }
  return folder
}

/**
 * A program in this folder as browsers get ours, built; returns the path of its one file of JavaScript. Run from TypeScript, it
 * would go on compiling Node's type stripper, a WebAssembly module, while its CPU time is taken. Built by a process of its own,
 * whose memory is not that of those that are measured.
 */
export function bundled(program: string): string {
  const file = path.join(cache, 'bundled', `${program}.mjs`)
  must(process.execPath, [own('src/bundle.ts'), own(`src/${program}.ts`), file])
  return file
}

/** Runs a process three times that prints one JSON object with `cpuS`; returns the run with the median of it. */
export function medianOf<T extends { cpuS: number }>(command: string, args: string[]): T {
  const runs = [0, 1, 2].map(() => JSON.parse(must(command, args)) as T)
  return runs.sort((a, b) => a.cpuS - b.cpuS)[1] as T
}

/** Runs a process once that prints one JSON object. */
export function onceOf<T>(command: string, args: string[]): T {
  return JSON.parse(must(command, args)) as T
}
