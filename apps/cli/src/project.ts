import { isUtf8 } from 'node:buffer'
import { mkdir, readdir, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { type Project, ProjectError, readProject } from '@hivemind/deploy'
import { type CheckContext, check, type Diagnostic } from '@hivemind/dsl'
import {
  completeProfile,
  deviceClassesOf,
  edgeNodesNamed,
  edgeNodesOf,
  type Fleet,
  fleets,
  type Profile,
  parseProfile,
  withDevices,
  withHandOver,
  withNodesInCloud,
} from '@hivemind/swarm'
import type { Workflow } from '@hivemind/workflow'
import { fleetWithBoards } from './boards.ts'
import { otherFault, usageFault, workflowFault } from './failure.ts'
import { fleetNamed, ownFleets } from './fleet.ts'

/** A workflow text and where it lies. */
export interface Source {
  file: string
  dir: string
  /** The workflow's name: the file's without `.hive.py`. */
  name: string
  text: string
}

/** Finds the `.hive.py` file that `target` names: the file itself, or the only one in that folder. */
export async function readSource(target: string): Promise<Source> {
  const found = await stat(target).catch(() => null)
  if (!found) throw usageFault(`There is no file or folder '${target}'.`)
  const file = found.isDirectory() ? await workflowFileIn(target) : target
  const bytes = await readFile(file).catch((error: Error) => {
    throw otherFault(`'${file}' cannot be read: ${error.message}.`)
  })
  if (!isUtf8(bytes))
    throw workflowFault(`'${file}' is not UTF-8 text: save it as UTF-8${whereNotUtf8(bytes)}.`)
  const text = bytes.toString('utf8')
  return {
    file,
    dir: path.dirname(path.resolve(file)),
    name: path.basename(file).replace(/(\.hive)?\.py$/, ''),
    text,
  }
}

/** The line of the first byte that is not UTF-8. */
function whereNotUtf8(bytes: Buffer): string {
  let line = 1
  for (let from = 0; from < bytes.length; line += 1) {
    const next = bytes.indexOf(0x0a, from)
    const to = next < 0 ? bytes.length : next
    if (!isUtf8(bytes.subarray(from, to))) return ` (line ${line} is not)`
    from = to + 1
  }
  return ''
}

async function workflowFileIn(dir: string): Promise<string> {
  const names = await readdir(dir).catch((error: Error) => {
    throw otherFault(`The folder '${dir}' cannot be read: ${error.message}.`)
  })
  const files = names.filter((name) => name.endsWith('.hive.py')).sort()
  if (files.length === 1 && files[0] !== undefined) return path.join(dir, files[0])
  throw usageFault(
    files.length === 0
      ? `The folder '${dir}' holds no workflow: a file whose name ends in '.hive.py'.`
      : `The folder '${dir}' holds ${files.length} workflows (${files.join(', ')}): name one of them.`,
  )
}

/** What the checks may know of the world: the project's files, and the devices of every fleet, its own included. */
export async function contextOf(dir: string, exists: (path: string) => boolean): Promise<CheckContext> {
  const all = [...fleets(), ...(await ownFleets(dir))]
  return {
    fileExists: (file) => exists(path.resolve(dir, file)),
    deviceClasses: deviceClassesOf(all),
    edgeNodes: edgeNodesOf(all),
  }
}

export function formatDiagnostic(file: string, diagnostic: Diagnostic): string {
  const { line, column, severity, code, message } = diagnostic
  return `${file}:${line}:${column}: ${severity} ${code}: ${message}`
}

/** A project whose workflow has no errors, ready for exploration and deployment. */
export interface ReadyProject {
  source: Source
  project: Project
  workflow: Workflow
  /** What the edge nodes of a deployment are called. */
  edgeNodes: string
}

/** Reads a project and refuses one whose workflow has errors, listing them. */
export async function readReadyProject(target: string): Promise<ReadyProject> {
  const source = await readSource(target)
  const project = await readProject(source.dir, path.basename(source.file)).catch((error: unknown) => {
    if (error instanceof ProjectError) throw workflowFault(error.message)
    throw error
  })
  const paths = new Set(project.files.map((file) => path.resolve(source.dir, file.path)))
  const context = await contextOf(source.dir, (file) => paths.has(file))
  const { workflow, diagnostics } = check(source.text, context)
  const errors = diagnostics.filter((diagnostic) => diagnostic.severity === 'error')
  if (!workflow || errors.length > 0)
    throw workflowFault(
      `The workflow has ${errors.length === 1 ? 'an error' : `${errors.length} errors`}:\n${errors
        .map((error) => formatDiagnostic(source.file, error))
        .join('\n')}`,
    )
  return { source, project, workflow, edgeNodes: edgeNodesNamed(workflow, context.edgeNodes ?? []) }
}

/** As `readReadyProject`, to be measured on this machine: as what runs on edge nodes takes there as long as in the cloud, it is measured in the cloud. */
export async function readMeasuredProject(target: string): Promise<ReadyProject> {
  const ready = await readReadyProject(target)
  return { ...ready, workflow: withNodesInCloud(ready.workflow, [ready.edgeNodes]) }
}

/** The profile to use: the file given, else the project's own, completed with assumptions. */
export async function profileFor(ready: ReadyProject, file: string | undefined): Promise<Profile> {
  if (file === undefined) return completeProfile(ready.workflow, ready.project.profile)
  const value = await readJson('profile', file)
  try {
    return completeProfile(ready.workflow, parseProfile(value))
  } catch (error) {
    throw usageFault(`The profile '${file}' is not valid: ${(error as Error).message}`)
  }
}

/** Reads a JSON file that an option names; `what` is what the option takes it for. */
export async function readJson(what: string, file: string): Promise<unknown> {
  const text = await readFile(file, 'utf8').catch((error: Error) => {
    throw usageFault(`The ${what} '${file}' cannot be read: ${error.message}.`)
  })
  try {
    return JSON.parse(text)
  } catch (error) {
    throw usageFault(`The ${what} '${file}' is not JSON: ${(error as Error).message}.`)
  }
}

/** A JSON file that an option names and that must hold an object. */
export async function readJsonObject(what: string, file: string): Promise<Record<string, unknown>> {
  const value = await readJson(what, file)
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as Record<string, unknown>
  throw usageFault(`The ${what} '${file}' must be a JSON object.`)
}

/** A fleet by its name or file, with another number of devices or another hand-over where that is asked for. */
export async function fleetFor(
  { source }: ReadyProject,
  {
    fleet: name,
    devices,
    handOver,
    board,
  }: { fleet: string; devices?: number; handOver?: string; board?: readonly string[] },
): Promise<Fleet> {
  const known = await fleetNamed(name, source.dir)
  const fleet = await fleetWithBoards(devices === undefined ? known : withDevices(known, devices), board)
  if (handOver === undefined) return fleet
  try {
    return withHandOver(fleet, handOver)
  } catch (error) {
    throw error instanceof RangeError ? usageFault(error.message) : error
  }
}

/** Replaces a file in one step, so that a reader sees the old or the new text and never half of one. */
export async function writeWhole(file: string, text: string): Promise<void> {
  const target = await realpath(file).catch(() => file)
  if ((await stat(target).catch(() => null))?.isDirectory())
    throw usageFault(`'${file}' is a folder: name a file to write.`)
  const temporary = `${target}.${process.pid}.tmp`
  try {
    await writeFile(temporary, text)
    await rename(temporary, target)
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {})
    throw otherFault(`'${file}' cannot be written: ${(error as Error).message}.`)
  }
}

/** Makes a folder to write into, with those above it. */
export async function makeFolder(folder: string): Promise<void> {
  const there = await stat(folder).catch(() => null)
  if (there?.isDirectory()) return
  if (there) throw usageFault(`'${folder}' is a file: name a folder to write into.`)
  // Not `recursive`, which never ends on a file system that takes no folders, such as /proc.
  await makeFolder(path.dirname(path.resolve(folder)))
  await mkdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST') return
    throw otherFault(`The folder '${folder}' cannot be made: ${error.message}.`)
  })
}
