/** What a new embedded database is copied from: to make one takes seconds, and all are the same at first. */
import { constants } from 'node:fs'
import { cp, mkdir, readdir, readFile, rename, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { log } from '../common/log.ts'

const copyOf = (from: string, to: string): Promise<void> =>
  cp(from, to, { recursive: true, mode: constants.COPYFILE_FICLONE })

/**
 * Opens a database in a folder; makes it where the folder is empty: as a copy of the template, which the first of this version becomes.
 * A copy that is broken off leaves nothing in the folder. Throws what PGlite says of a folder that it cannot open.
 * @param cache folder of the template; beside the dependencies when absent. Where it cannot be written, each database is made anew
 */
export async function openPGlite(folder: string, cache = usualCache()): Promise<PGlite> {
  await mkdir(folder, { recursive: true })
  if ((await readdir(folder)).length > 0) return PGlite.create(folder)
  const template = path.join(cache, `database-${await versionOfPGlite()}`)
  if (await copiedTo(folder, template)) return PGlite.create(folder)
  const made = await PGlite.create(folder)
  await keep(made, folder, template)
  return made
}

async function copiedTo(folder: string, template: string): Promise<boolean> {
  const half = `${folder}.new`
  try {
    await rm(half, { recursive: true, force: true })
    await copyOf(template, half)
    await rename(half, folder)
    return true
  } catch (error) {
    log.debug({ err: error }, 'The database is made anew: its template cannot be copied.')
    await rm(half, { recursive: true, force: true })
    return false
  }
}

/** Two processes may do so at once: one of them is the first. */
async function keep(made: PGlite, folder: string, template: string): Promise<void> {
  const half = `${template}.${process.pid}`
  try {
    await mkdir(path.dirname(template), { recursive: true })
    await made.exec('CHECKPOINT')
    await made.runExclusive(() => copyOf(folder, half))
    await rename(half, template)
  } catch (error) {
    log.debug({ err: error }, 'The new database is not kept as a template.')
    await rm(half, { recursive: true, force: true }).catch(() => {})
  }
}

const dist = (): string => path.dirname(createRequire(import.meta.url).resolve('@electric-sql/pglite'))

const usualCache = (): string => path.join(dist(), '../../../.cache/hivemind')

async function versionOfPGlite(): Promise<string> {
  const { version } = JSON.parse(await readFile(path.join(dist(), '../package.json'), 'utf8')) as {
    version: string
  }
  return version
}
