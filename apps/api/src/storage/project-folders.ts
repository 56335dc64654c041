/** The folders of the projects: `projects/<id>/` in the data folder. */
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { copyFile, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { Inject, Injectable } from '@nestjs/common'
import { conflict, invalid, notFound, Problem } from '../common/problem.ts'
import { newId } from '../common/text.ts'
import { CONFIG, type Config } from '../config/config.ts'
import { isFleetFile, isReserved, resolveInside, TEMPORARY } from './project-path.ts'

export interface FileInfo {
  path: string
  bytes: number
  modifiedAt: string
}

/** Larger files, in bytes, are no text that people edit, and have no hash. */
const MAX_HASHED_BYTES = 1_000_000
const hashOf = (content: string | Uint8Array): string => createHash('sha256').update(content).digest('hex')

const MOST_FILES = 5_000
const notCopied = new Set(['node_modules', '__pycache__'])

/** Every regular file below a folder, with `/`; links and temporary files are left out. */
async function* filesBelow(folder: string, prefix = ''): AsyncGenerator<string> {
  const entries = await readdir(path.join(folder, prefix), { withFileTypes: true })
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (notCopied.has(entry.name) || entry.name.startsWith('.')) continue
    const file = prefix === '' ? entry.name : `${prefix}/${entry.name}`
    if (entry.isDirectory()) yield* filesBelow(folder, file)
    else if (entry.isFile()) yield file
  }
}

/** Removes the drafts that `writeWhole` left when the process was killed. Links are not followed. */
async function removeDrafts(folder: string): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  for (const entry of entries) {
    const file = path.join(folder, entry.name)
    if (entry.name.startsWith(TEMPORARY)) await rm(file, { recursive: true, force: true })
    else if (entry.isDirectory() && !notCopied.has(entry.name)) await removeDrafts(file)
  }
}

/** Writes a file so that it has its old or its new content, never half of one, even when the power fails. */
async function writeWhole(file: string, content: string): Promise<void> {
  const draft = path.join(path.dirname(file), `${TEMPORARY}${newId()}`)
  try {
    const handle = await open(draft, 'wx')
    try {
      await handle.writeFile(content)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(draft, file)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}

@Injectable()
export class ProjectFolders {
  private readonly root: string

  constructor(@Inject(CONFIG) config: Config) {
    this.root = path.join(config.dataDir, 'projects')
  }

  dir(project: string): string {
    return path.join(this.root, project)
  }

  /**
   * Finishes or undoes what a crash interrupted, as the database says: `isKept` tells whether it has a project. Removes
   * the drafts of files that were being written.
   */
  async repair(isKept: (project: string) => Promise<boolean>): Promise<void> {
    for (const name of await readdir(this.root)) {
      const folder = path.join(this.root, name)
      const [, project] = /^\.(?:new|old)-(.+)$/.exec(name) ?? []
      if (project !== undefined && !existsSync(this.dir(project)) && (await isKept(project)))
        await rename(folder, this.dir(project))
      else if (name.startsWith('.')) await rm(folder, { recursive: true, force: true })
    }
    for (const name of await readdir(this.root)) await removeDrafts(path.join(this.root, name))
  }

  /** Name under which a project's folder is made until the database has the project. */
  draftOf(project: string): string {
    return `.new-${project}`
  }

  /** Makes the draft of a project's folder, from an example's folder when one is given. */
  async create(project: string, workflowFile: string, text: string, exampleDir?: string): Promise<void> {
    const draft = this.dir(this.draftOf(project))
    try {
      await mkdir(draft)
      if (exampleDir)
        for await (const file of filesBelow(exampleDir)) {
          if (isReserved(file)) continue
          const to = path.join(draft, file)
          await mkdir(path.dirname(to), { recursive: true })
          await copyFile(path.join(exampleDir, file), to)
        }
      await writeWhole(path.join(draft, workflowFile), text)
    } catch (error) {
      await this.discard(project)
      throw error
    }
  }

  /** Gives the draft its name, in one step. */
  async publish(project: string): Promise<void> {
    await rename(this.dir(this.draftOf(project)), this.dir(project))
  }

  async discard(project: string): Promise<void> {
    await rm(this.dir(this.draftOf(project)), { recursive: true, force: true })
  }

  /** Puts a project's folder aside, runs `act`, and removes the folder; back it goes when `act` fails. */
  async remove(project: string, act: () => Promise<void>): Promise<void> {
    const aside = this.dir(`.old-${project}`)
    await rm(aside, { recursive: true, force: true })
    const found = existsSync(this.dir(project))
    if (found) await rename(this.dir(project), aside)
    try {
      await act()
    } catch (error) {
      if (found) await rename(aside, this.dir(project))
      throw error
    }
    await rm(aside, { recursive: true, force: true })
  }

  /** Whether one of the files that the service keeps has this content. */
  async holds(project: string, file: string, content: string): Promise<boolean> {
    return (await readFile(path.join(this.dir(project), file), 'utf8').catch(() => null)) === content
  }

  /** Writes the workflow's text, or another of the files that the service keeps. */
  async writeReserved(project: string, file: string, content: string): Promise<void> {
    await mkdir(this.dir(project), { recursive: true })
    await writeWhole(path.join(this.dir(project), file), content)
  }

  /** Text of a file that the service keeps; `undefined` when there is none. */
  async readReserved(project: string, file: string): Promise<string | undefined> {
    return readFile(path.join(this.dir(project), file), 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined
      throw error
    })
  }

  async removeReserved(project: string, file: string): Promise<void> {
    await rm(path.join(this.dir(project), file), { force: true })
  }

  /** Names of the files that the service keeps in the project's folder and that end like this, sorted. */
  async listReserved(project: string, ending: string): Promise<string[]> {
    const entries = await readdir(this.dir(project), { withFileTypes: true }).catch(() => [])
    return entries
      .filter((entry) => entry.isFile() && entry.name.endsWith(ending) && isReserved(entry.name))
      .map((entry) => entry.name)
      .sort()
  }

  /** Task code and data, without the files that the service keeps. */
  async list(project: string): Promise<FileInfo[]> {
    const files: FileInfo[] = []
    if (!existsSync(this.dir(project))) return files
    for await (const file of filesBelow(this.dir(project))) {
      if (!isReserved(file)) files.push(await this.info(this.dir(project), file))
      if (files.length >= MOST_FILES) break
    }
    return files
  }

  private async info(dir: string, file: string): Promise<FileInfo> {
    const { size, mtime } = await stat(path.join(dir, file))
    return { path: file, bytes: size, modifiedAt: mtime.toISOString() }
  }

  /** Opens a file to read; with the hash of what is read, unless it is too large to have one. Throws 400 and 404. */
  async open(project: string, file: string) {
    const { absolute, found } = await resolveInside(this.dir(project), file)
    if (found === 'folder') throw invalid('path', 'is a folder')
    if (found === 'nothing') throw notFound('file', file)
    const handle = await open(absolute)
    const bytes = (await handle.stat()).size
    if (bytes > MAX_HASHED_BYTES) return { handle, bytes }
    return { handle, bytes, hash: hashOf(await handle.readFile()) }
  }

  /** Hash of a file's content; `none` when there is no such file, `undefined` when it is too large to have one. */
  private async hash(project: string, file: string): Promise<string | undefined> {
    const { absolute, found } = await resolveInside(this.dir(project), file)
    if (found === 'nothing') return 'none'
    if ((await stat(absolute)).size > MAX_HASHED_BYTES) return undefined
    return hashOf(await readFile(absolute))
  }

  /**
   * Writes a file. Throws 400, and 409 when `expected` is given and not the hash of its content, or `none` and there is one.
   */
  async put(
    project: string,
    file: string,
    text: string,
    expected?: string,
  ): Promise<FileInfo & { hash: string }> {
    const { absolute, found } = await this.writable(project, file)
    if (found === 'folder') throw invalid('path', 'is a folder')
    if (expected !== undefined) await this.expect(project, file, expected)
    if (found === 'nothing' && (await this.list(project)).length >= MOST_FILES)
      throw new Problem(409, `The project has ${MOST_FILES} files already; delete some first.`)
    await mkdir(path.dirname(absolute), { recursive: true })
    await writeWhole(absolute, text)
    return { ...(await this.info(this.dir(project), file)), hash: hashOf(text) }
  }

  private async expect(project: string, file: string, expected: string): Promise<void> {
    const hash = await this.hash(project, file)
    if (hash === expected) return
    const happened =
      hash === 'none' ? 'is not there any more' : expected === 'none' ? 'has been made' : 'has been changed'
    throw conflict(
      `The file '${file}' ${happened} meanwhile. Nothing was overwritten: read it again, and write with its hash as 'expected'.`,
      [{ field: 'expected', message: `the file's hash is ${hash ?? 'not known'}` }],
    )
  }

  async delete(project: string, file: string): Promise<void> {
    const { absolute, found } = await this.writable(project, file)
    if (found === 'folder') throw invalid('path', 'is a folder')
    if (found === 'nothing') throw notFound('file', file)
    await rm(absolute)
  }

  private writable(project: string, file: string) {
    if (isReserved(file))
      throw invalid(
        'path',
        file.endsWith('.hive.py')
          ? 'is the workflow: save it as a new version'
          : isFleetFile(file)
            ? 'is a fleet: change it on the Fleets screen'
            : 'is a file that HiveMind keeps itself',
      )
    return resolveInside(this.dir(project), file)
  }
}
