/** A project on disk: one workflow, its task code and data. Nothing outside its folder is ever read. */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { lstat, readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { type Profile, parseProfile } from '@hivemind/swarm'
import { isCode, mentionsIn, type SourceFile } from '@hivemind/synthesis'

/** What is wrong with a project's files, in sentences for its author. */
export class ProjectError extends Error {
  override readonly name = 'ProjectError'
}

/** A file of a project; its path is relative to the project, with `/` between folders. */
export type ProjectFile = SourceFile

/** A project folder that was read. */
export interface Project {
  dir: string
  /** File name of the workflow and its name: the file's without `.hive.py`. */
  workflowFile: string
  name: string
  text: string
  files: ProjectFile[]
  /** Values for the workflow's inputs when a run gives none (`inputs.json`). */
  inputs: Record<string, unknown>
  profile: Profile | undefined
}

/** Folders that are never part of a project. */
const LEFT_OUT = new Set(['node_modules', '__pycache__', '.git', '.hivemind'])
const MAX_FILES = 20_000

/**
 * Reads a project folder. `workflowFile` chooses among several workflows.
 * Rejects with `ProjectError` when there is none or several, when a link leads out, or when a known file is broken.
 */
export async function readProject(dir: string, workflowFile?: string): Promise<Project> {
  const root = path.resolve(dir)
  const files = await filesBelow(root)
  const file = workflowFile ?? onlyWorkflow(root, files)
  const text = await readFile(path.join(root, file), 'utf8').catch((error: Error) => {
    throw new ProjectError(`The workflow '${file}' cannot be read: ${error.message}.`)
  })
  return {
    dir: root,
    workflowFile: file,
    name: file.replace(/(\.hive)?\.py$/, ''),
    text,
    files,
    inputs: await readInputs(root, files),
    profile: await readProfile(root, files),
  }
}

function onlyWorkflow(root: string, files: ProjectFile[]): string {
  const found = files
    .map(({ path }) => path)
    .filter((name) => name.endsWith('.hive.py') && !name.includes('/'))
  if (found.length === 1 && found[0] !== undefined) return found[0]
  throw new ProjectError(
    found.length === 0
      ? `The folder '${root}' holds no workflow: a file whose name ends in '.hive.py'.`
      : `The folder '${root}' holds ${found.length} workflows (${found.join(', ')}): one project has one.`,
  )
}

async function filesBelow(root: string): Promise<ProjectFile[]> {
  const files: ProjectFile[] = []
  const visit = async (folder: string): Promise<void> => {
    const names = await readdir(path.join(root, folder)).catch((error: Error) => {
      throw new ProjectError(`The folder '${path.join(root, folder)}' cannot be read: ${error.message}.`)
    })
    for (const name of names.sort()) {
      if (LEFT_OUT.has(name)) continue
      const relative = folder === '' ? name : `${folder}/${name}`
      const full = path.join(root, relative)
      const info = await lstat(full)
      if (info.isSymbolicLink())
        throw new ProjectError(`'${relative}' is a symbolic link: put the file itself into the project.`)
      if (info.isDirectory()) await visit(relative)
      else if (info.isFile()) files.push(await fileOf(full, relative, info.size))
      if (files.length > MAX_FILES)
        throw new ProjectError(`The project in '${root}' has more than ${MAX_FILES} files.`)
    }
  }
  await visit('')
  return files
}

async function fileOf(full: string, path: string, bytes: number): Promise<ProjectFile> {
  const code = isCode(path, bytes) ? await readFile(full) : undefined
  const hash = createHash('sha256')
  if (code) hash.update(code)
  else for await (const chunk of createReadStream(full)) hash.update(chunk as Buffer)
  return {
    ...{ path, hash: hash.digest('hex'), bytes },
    ...(code && { mentions: mentionsIn(path, code.toString('utf8')) }),
  }
}

async function readJson(root: string, file: string): Promise<unknown> {
  const text = await readFile(path.join(root, file), 'utf8')
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new ProjectError(`'${file}' of the project is not valid JSON: ${(error as Error).message}.`)
  }
}

async function readInputs(root: string, files: ProjectFile[]): Promise<Record<string, unknown>> {
  if (!files.some((file) => file.path === 'inputs.json')) return {}
  const value = await readJson(root, 'inputs.json')
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as Record<string, unknown>
  throw new ProjectError(
    "'inputs.json' of the project must be a JSON object: a value for each input by name.",
  )
}

async function readProfile(root: string, files: ProjectFile[]): Promise<Profile | undefined> {
  if (!files.some((file) => file.path === 'profile.json')) return undefined
  const value = await readJson(root, 'profile.json')
  try {
    return parseProfile(value)
  } catch (error) {
    throw new ProjectError(`'profile.json' of the project is not a profile: ${(error as Error).message}`)
  }
}
