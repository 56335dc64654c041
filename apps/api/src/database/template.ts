/** What a new embedded database is copied from: to make one takes seconds, and all are the same at first. */
import { constants, cpSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { log } from '../common/log.ts'

/** What is done to each new database before it is used. */
export interface Preparation {
  /** Another one where it makes something else. */
  key: string
  prepare(made: PGlite): Promise<void>
}

/** At once: of a thousand small files each would wait for its turn many times, and nothing else is to be done meanwhile. */
const copyOf = (from: string, to: string): void =>
  cpSync(from, to, { recursive: true, mode: constants.COPYFILE_FICLONE })

/**
 * Opens a database in a folder; makes it where the folder is empty: as a copy of the template, which the first of this version and
 * preparation becomes. A copy that is broken off leaves nothing in the folder. Throws what PGlite says of a folder that it cannot open,
 * and what the preparation throws.
 * @param cache folder of the template; beside the dependencies when absent. Where it cannot be written, each database is made anew
 */
export async function openPGlite(
  folder: string,
  { key, prepare }: Preparation,
  cache = usualCache(),
): Promise<PGlite> {
  await mkdir(folder, { recursive: true })
  if ((await readdir(folder)).length > 0) return PGlite.create(folder)
  const template = path.join(cache, `${TEMPLATE}${await versionOfPGlite()}-${key}`)
  if (await copiedTo(folder, template)) return PGlite.create(folder)
  const made = await PGlite.create(folder)
  try {
    await prepare(made)
  } catch (error) {
    await made.close()
    throw error
  }
  await keep(made, folder, template)
  return made
}

const TEMPLATE = 'database-'
/** Templates that are kept, of 40 MB each. */
const KEPT = 3

async function copiedTo(folder: string, template: string): Promise<boolean> {
  const half = `${folder}.new`
  try {
    await rm(half, { recursive: true, force: true })
    copyOf(template, half)
    await rename(half, folder)
    return true
  } catch (error) {
    log.debug({ err: error }, 'The database is made anew: its template cannot be copied.')
    await rm(half, { recursive: true, force: true })
    return false
  }
}

/** Two processes may do so at once: one of them is the first. The newest stay, as the service from its sources and as it is built differ. */
async function keep(made: PGlite, folder: string, template: string): Promise<void> {
  const cache = path.dirname(template)
  const half = path.join(cache, `new-${path.basename(template)}.${process.pid}`)
  try {
    await mkdir(cache, { recursive: true })
    await made.exec('CHECKPOINT')
    await made.runExclusive(async () => copyOf(folder, half))
    await rename(half, template)
    const others = (await templatesIn(cache)).filter((each) => each !== template)
    for (const old of others.slice(KEPT - 1)) await rm(old, { recursive: true, force: true })
  } catch (error) {
    log.debug({ err: error }, 'The new database is not kept as a template.')
    await rm(half, { recursive: true, force: true }).catch(() => {})
  }
}

/** The newest first. */
async function templatesIn(cache: string): Promise<string[]> {
  const names = (await readdir(cache)).filter((name) => name.startsWith(TEMPLATE))
  const found = await Promise.all(
    names.map(async (name) => {
      const file = path.join(cache, name)
      return { file, at: (await stat(file)).mtimeMs }
    }),
  )
  return found.sort((a, b) => b.at - a.at).map(({ file }) => file)
}

const dist = (): string => path.dirname(createRequire(import.meta.url).resolve('@electric-sql/pglite'))

const usualCache = (): string => path.join(dist(), '../../../.cache/hivemind')

async function versionOfPGlite(): Promise<string> {
  const { version } = JSON.parse(await readFile(path.join(dist(), '../package.json'), 'utf8')) as {
    version: string
  }
  return version
}
