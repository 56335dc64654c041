/** Paths within a project's folder, and nothing else. */
import { lstatSync } from 'node:fs'
import { lstat } from 'node:fs/promises'
import path from 'node:path'
import { FLEET_FILE_ENDING } from '@hivemind/swarm'
import { invalid } from '../common/problem.ts'

/** Files the service writes itself, from what the database holds. */
const RESERVED = new Set(['profile.json', 'layout.json', 'example.json'])
export const TEMPORARY = '.hivemind-tmp-'

/** Whether it is the file of an own fleet of the project. */
export const isFleetFile = (file: string) => !file.includes('/') && file.endsWith(FLEET_FILE_ENDING)

export const isReserved = (file: string) =>
  RESERVED.has(file) || isFleetFile(file) || (!file.includes('/') && file.endsWith('.hive.py'))

/** Checks the form of a path: relative, with `/`, and no part that leads out. Throws a 400 that names `path`. */
export function checkPath(file: string): string[] {
  if (file === '') throw invalid('path', 'is empty')
  if (file.includes('\0')) throw invalid('path', 'contains a NUL character')
  if (file.startsWith('/') || /^[A-Za-z]:/.test(file))
    throw invalid('path', "must be relative to the project's folder")
  if (file.includes('\\')) throw invalid('path', "must be written with '/'")
  const parts = file.split('/')
  if (parts.includes('..')) throw invalid('path', "leaves the project's folder")
  if (parts.some((part) => part === '' || part === '.')) throw invalid('path', "has an empty or '.' part")
  if (parts.some((part) => Buffer.byteLength(part) > 200))
    throw invalid('path', 'has a part that is too long')
  if (parts.some((part) => part.startsWith(TEMPORARY)))
    throw invalid('path', `has a part that starts with '${TEMPORARY}'`)
  return parts
}

/** Whether there is a file or folder of that path below `dir`; one behind a symbolic link does not count. */
export function existsBelow(dir: string, file: string): boolean {
  try {
    let absolute = dir
    for (const part of checkPath(file)) {
      absolute = path.join(absolute, part)
      if (lstatSync(absolute).isSymbolicLink()) return false
    }
    return true
  } catch {
    return false
  }
}

export type Found = 'file' | 'folder' | 'nothing'

/**
 * The absolute path of a project's file and what is there. No part of it may be a symbolic link, so it cannot leave the
 * folder by one. Throws a 400 that names `path`.
 */
export async function resolveInside(
  projectDir: string,
  file: string,
): Promise<{ absolute: string; found: Found }> {
  const parts = checkPath(file)
  let absolute = projectDir
  let found: Found = 'folder'
  for (const part of parts) {
    if (found === 'file')
      throw invalid('path', `'${path.relative(projectDir, absolute)}' is a file, not a folder`)
    absolute = path.join(absolute, part)
    if (found === 'nothing') continue
    const stat = await lstat(absolute).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null
      throw error
    })
    if (stat?.isSymbolicLink()) throw invalid('path', 'goes through a symbolic link')
    if (stat && !stat.isFile() && !stat.isDirectory()) throw invalid('path', 'is neither a file nor a folder')
    found = stat === null ? 'nothing' : stat.isFile() ? 'file' : 'folder'
  }
  return { absolute, found }
}
