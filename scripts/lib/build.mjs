// Builds the web app and the service, each only when something it is made of has changed.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { cache, node24, root, run, SetupError } from './run.mjs'

const isSource = (name) => !/^(node_modules|dist|test)$|\.test\.tsx?$/.test(name)

function* filesBelow(folder) {
  const entries = readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))
  for (const entry of entries) {
    if (!isSource(entry.name)) continue
    const full = path.join(folder, entry.name)
    if (entry.isDirectory()) yield* filesBelow(full)
    else if (entry.isFile()) yield full
  }
}

function contentHash(folders) {
  const hash = createHash('sha256')
  for (const file of [
    path.join(root, 'package-lock.json'),
    ...folders.flatMap((folder) => [...filesBelow(path.join(root, folder))]),
  ])
    hash.update(path.relative(root, file)).update('\0').update(readFileSync(file)).update('\0')
  return hash.digest('hex')
}

const targets = [
  { name: 'web app', folder: 'apps/web', result: 'apps/web/dist/index.html', sources: ['apps/web', 'libs'] },
  {
    name: 'service',
    folder: 'apps/api',
    result: 'apps/api/dist/main.js',
    sources: ['apps/api', 'libs/contracts'],
  },
]

/** Builds what is out of date. A build that fails or is interrupted leaves no stamp and is done again. */
export async function buildApps() {
  mkdirSync(cache, { recursive: true })
  const vite = path.join(root, 'node_modules/vite/bin/vite.js')
  const stale = targets
    .map((target) => ({
      ...target,
      stamp: path.join(cache, `build-${path.basename(target.folder)}`),
      hash: contentHash(target.sources),
    }))
    .filter(
      ({ stamp, hash, result }) =>
        !(existsSync(path.join(root, result)) && existsSync(stamp) && readFileSync(stamp, 'utf8') === hash),
    )
  for (const { name, folder, stamp, hash } of stale) {
    console.log(`· Building the ${name} ...`)
    const { code, output } = await run(node24(), [vite, 'build'], {
      quiet: true,
      cwd: path.join(root, folder),
    })
    if (code !== 0) throw new SetupError(`The ${name} could not be built:\n${output}`)
    writeFileSync(stamp, hash)
  }
}
