/** Packages of this installation, with every package that they need, as entries of an archive. */
import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import path from 'node:path'
import { type Entries, entryAt } from './archive.ts'

const NOT_NEEDED = new Set([
  ...['test', 'tests', '__pycache__', 'idlelib', 'tkinter', 'ensurepip', 'lib2to3', 'turtledemo'],
  ...['.bin', '.github', 'docs', 'bundle', 'bench', 'benchmark'],
])

/** Files below a folder that an archive needs, by path in the archive. */
export function tree(from: string, to: string, wanted: (file: string) => boolean = () => true): Entries {
  const entries: Entries = new Map()
  for (const name of readdirSync(from).sort()) {
    const file = path.join(from, name)
    const target = path.join(to, name)
    if (NOT_NEEDED.has(name) || name === 'node_modules') continue
    const entry = entryAt(file)
    if ('file' in entry && statSync(file).isDirectory())
      for (const [key, value] of tree(file, target, wanted)) entries.set(key, value)
    else if (wanted(file)) entries.set(target, entry)
  }
  return entries
}

interface Manifest {
  name: string
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
}

const manifestIn = (folder: string): Manifest =>
  JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as Manifest

const isSource = (file: string): boolean =>
  !/\.(test\.[cm]?ts|d\.[cm]?ts|map|md|markdown)$/i.test(file) ||
  /^(licen[cs]e|copying|notice)/i.test(path.basename(file))

/**
 * Packages of this repository with every package that they need, below `/app`, where they lie to each other as they do
 * here. Node.js strips types only outside of `node_modules`, so the repository's own packages are links there.
 */
export function application(root: string, ...folders: string[]): Entries {
  const entries: Entries = new Map()
  const seen = new Set<string>()
  const add = (from: string): void => {
    const real = realpathSync(from)
    if (seen.has(real)) return
    seen.add(real)
    const inRoot = path.relative(root, real)
    for (const [key, value] of tree(real, path.join('/app', inRoot), isSource)) entries.set(key, value)
    const { dependencies = {}, optionalDependencies = {} } = manifestIn(real)
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const found = resolved(root, real, name)
      if (found === undefined) {
        if (optionalDependencies[name] !== undefined) continue
        throw new Error(`The package '${name}' that ${inRoot} needs is not installed: run npm ci.`)
      }
      const target = path.join('/app', path.relative(root, found))
      const entry = entryAt(found)
      if ('link' in entry) entries.set(target, entry)
      add(found)
    }
  }
  for (const folder of folders) add(path.join(root, folder))
  entries.set('/app/package.json', { text: '{"type":"module"}\n' })
  return entries
}

/** Where Node.js finds a package from a folder. */
function resolved(root: string, from: string, name: string): string | undefined {
  for (let folder = from; folder.startsWith(root); folder = path.dirname(folder)) {
    const candidate = path.join(folder, 'node_modules', name)
    if (existsSync(candidate)) return candidate
  }
  return undefined
}
