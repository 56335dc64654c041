/** The data folder: made, found writable, and taken by one process at a time. */
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { StartError } from '../common/start-error.ts'
import { sentenceOf } from '../common/text.ts'

interface Owner {
  pid: number
  /** When that process began, as the system tells it; tells a process from a later one with the same number. */
  began: string
}

/** Ticks since boot at which a process began (Linux), or `''` where that cannot be told. */
function beganOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? ''
  } catch {
    return ''
  }
}

function isAlive(owner: Owner): boolean {
  try {
    process.kill(owner.pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false
  }
  return owner.began === '' || beganOf(owner.pid) === owner.began
}

function parseOwner(text: string): Owner | null {
  try {
    const { pid, began } = JSON.parse(text) as Partial<Owner>
    return typeof pid === 'number' && typeof began === 'string' ? { pid, began } : null
  } catch {
    return null
  }
}

/** Step by step: Node's own `recursive` never returns where a parent exists but refuses with ENOENT, as /proc does. */
function makeFolder(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return
  if (folder !== path.dirname(folder)) makeFolder(path.dirname(folder))
  try {
    mkdirSync(folder)
  } catch (error) {
    // Another process may have made it meanwhile.
    if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) throw error
  }
}

/** Makes the folder and sees that it can be written. Throws `StartError`. */
export function prepareDataDir(dataDir: string): void {
  try {
    makeFolder(path.join(dataDir, 'projects'))
    const probe = path.join(dataDir, `.probe-${process.pid}`)
    try {
      writeFileSync(probe, Buffer.alloc(1_000_000), { flush: true })
    } finally {
      rmSync(probe, { force: true })
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOSPC' || code === 'EDQUOT')
      throw new StartError(
        `The disk of the data folder ${dataDir} is full: make room or name another with --data-dir.`,
      )
    if (code === 'EEXIST' || code === 'ENOTDIR')
      throw new StartError(
        `The data folder ${dataDir} cannot be made, for a part of its path is a file: name another with --data-dir.`,
      )
    throw new StartError(
      `The data folder ${dataDir} cannot be written (${code ?? sentenceOf(error)}): name another with --data-dir.`,
    )
  }
}

/** Takes the folder for this process; a lock whose process is gone is taken over. Returns the release. Throws `StartError`. */
export function lockDataDir(dataDir: string): () => void {
  const lock = path.join(dataDir, 'hivemind.lock')
  const mine = JSON.stringify({ pid: process.pid, began: beganOf(process.pid) } satisfies Owner)
  const used = (pid: number | undefined) =>
    new StartError(
      `Another HiveMind (process ${pid ?? 'unknown'}) uses the data folder ${dataDir}: stop it, or name another with --data-dir.`,
    )
  for (let attempt = 0; attempt < 5; attempt++) {
    const draft = `${lock}.${process.pid}`
    try {
      writeFileSync(draft, mine)
      linkSync(draft, lock)
      return () => {
        try {
          if (readFileSync(lock, 'utf8') === mine) rmSync(lock)
        } catch {
          // It is gone already.
        }
      }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST')
        throw new StartError(`The data folder ${dataDir} cannot be locked: ${sentenceOf(error)}.`)
    } finally {
      rmSync(draft, { force: true })
    }
    takeOver(lock, used)
  }
  throw used(undefined)
}

/** Removes the lock when its owner is gone; throws when it lives. */
function takeOver(lock: string, used: (pid: number | undefined) => StartError): void {
  let text: string
  try {
    text = readFileSync(lock, 'utf8')
  } catch {
    return
  }
  const owner = parseOwner(text)
  if (owner && isAlive(owner)) throw used(owner.pid)
  const aside = `${lock}.stale.${process.pid}`
  try {
    renameSync(lock, aside)
  } catch {
    return
  }
  // Another process may have taken the stale lock over in between, so that what was moved is its new one: put it back.
  const moved = readFileSync(aside, 'utf8')
  if (moved !== text) {
    try {
      linkSync(aside, lock)
    } catch {
      // Someone holds it again already.
    }
  }
  rmSync(aside, { force: true })
  if (moved !== text) throw used(parseOwner(moved)?.pid)
}
