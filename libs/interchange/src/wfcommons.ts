/**
 * WfCommons instances: traces of scientific workflows as JSON, in the versions 1.3, 1.4 and 1.5 of their schema.
 * Up to 1.4 a task is one object; 1.5 splits its specification from its execution.
 */
import { convert, type Imported, sample } from './convert.ts'
import { ImportError, quoted } from './error.ts'
import {
  amountIn,
  describe,
  type Fields,
  join,
  jsonOf,
  listIn,
  objectAt,
  objectIn,
  textIn,
  textsIn,
} from './json.ts'
import type { Trace, TraceTask } from './trace.ts'

/** How the runtimes of a WfCommons instance become times of the reference core. */
export interface WfCommonsOptions {
  /**
   * Assumed clock rate of the reference core, in MHz: a runtime from a machine of half that rate counts half. `null` takes
   * every runtime as it is. 2400 when absent, an assumption (plausible: 2000-3500).
   */
  referenceMHz?: number | null
}

const REFERENCE_MHZ = 2400
const VERSIONS = ['1.3', '1.4', '1.5']
/** Larger values are errors: 1 PB, 30 years, 1 THz. */
const MAX_FILE_BYTES = 1e15
const MAX_RUNTIME_SECONDS = 1e9
const MAX_CLOCK_MHZ = 1e6

/** A task before its references are resolved. */
interface RawTask {
  fields: Fields
  /** The object with its runtime and machines: the task itself up to 1.4. */
  run: { fields: Fields; where: string } | undefined
  where: string
  id: string
  label: string
}

/**
 * Reads an instance from JSON text, or from the value such a text gave.
 * @throws ImportError when it is no instance, or one that contradicts itself; the message says where
 */
export function readWfCommons(json: unknown, options: WfCommonsOptions = {}): Imported {
  const root = objectAt(jsonOf(json), 'the whole file')
  const version = textIn(root, 'schemaVersion', '')
  if (version === undefined)
    throw new ImportError('schemaVersion', 'it is missing; is this a WfCommons instance?')
  if (!VERSIONS.includes(version))
    throw new ImportError(
      'schemaVersion',
      `version ${quoted(version)} is not read, only ${VERSIONS.join(', ')}. The WfFormat repository has a script that migrates older instances.`,
    )
  const workflow = objectIn(root, 'workflow', '')
  if (!workflow) throw new ImportError('workflow', 'it is missing; is this a WfCommons instance?')
  const notes: string[] = []
  const sizes = new Map<string, number | undefined>()
  const split = version === '1.5'
  const rawTasks = split ? parseTasks15(workflow, notes) : parseTasks14(workflow)
  if (split) readFiles(workflow, sizes, notes)
  const resolve = resolver(rawTasks)
  const speed = relativeSpeeds(split ? objectIn(workflow, 'execution', 'workflow') : workflow, split, options)
  const tasks = rawTasks.map((raw): TraceTask => {
    const { reads, writes } = split
      ? {
          reads: textsIn(raw.fields, 'inputFiles', raw.where),
          writes: textsIn(raw.fields, 'outputFiles', raw.where),
        }
      : ownFiles(raw, sizes, notes)
    const runtime =
      raw.run && amountIn(raw.run.fields, ['runtimeInSeconds', 'runtime'], raw.run.where, MAX_RUNTIME_SECONDS)
    return {
      id: raw.id,
      label: raw.label,
      parents: textsIn(raw.fields, 'parents', raw.where).map((name, at) =>
        resolve(name, `${raw.where}.parents[${at}]`),
      ),
      reads,
      writes,
      ...(runtime === undefined
        ? {}
        : { serviceMs: Number((runtime * 1000 * speed.of(raw)).toPrecision(9)) }),
      where: raw.where,
    }
  })
  addChildren(rawTasks, tasks, resolve, notes)
  notes.push(...speed.notes())
  const cores = rawTasks.filter(({ run }) => run && manyCores(run.fields)).length
  if (cores > 0)
    notes.push(
      `${cores === 1 ? 'One task' : `${cores} tasks`} ran on more than one core: the runtime is taken for one core, which is too fast.`,
    )
  const name = textIn(root, 'name', '') ?? 'imported'
  return convert({
    name,
    about: `WfCommons instance ${quoted(name)} (schema ${version}), ${tasks.length} ${tasks.length === 1 ? 'task' : 'tasks'}.`,
    tasks,
    sizes,
    origin: 'measured',
    notes,
  } satisfies Trace)
}

const manyCores = (run: Fields) =>
  [run.coreCount, run.cores].some((cores) => typeof cores === 'number' && cores > 1)

function taskList(fields: Fields, where: string): { fields: Fields; where: string }[] {
  const list = listIn(fields, 'tasks', where)
  if (!list) throw new ImportError(join(where, 'tasks'), 'the list of tasks is missing.')
  return list.map((value, at) => ({
    fields: objectAt(value, `${where}.tasks[${at}]`),
    where: `${where}.tasks[${at}]`,
  }))
}

function parseTasks15(workflow: Fields, notes: string[]): RawTask[] {
  const specification = objectIn(workflow, 'specification', 'workflow')
  if (!specification)
    throw new ImportError('workflow.specification', 'it is missing; schema 1.5 has the tasks in there.')
  const runs = new Map<string, { fields: Fields; where: string }>()
  const execution = objectIn(workflow, 'execution', 'workflow')
  if (execution)
    for (const run of taskList(execution, 'workflow.execution')) {
      const id = textIn(run.fields, 'id', run.where)
      if (id === undefined) throw new ImportError(join(run.where, 'id'), 'the id of the task is missing.')
      if (runs.has(id)) throw new ImportError(join(run.where, 'id'), `${quoted(id)} is there twice.`)
      runs.set(id, run)
    }
  const rawTasks = taskList(specification, 'workflow.specification').map(({ fields, where }): RawTask => {
    const id = textIn(fields, 'id', where)
    if (id === undefined) throw new ImportError(join(where, 'id'), 'the id of the task is missing.')
    return { fields, where, id, label: textIn(fields, 'name', where) ?? id, run: runs.get(id) }
  })
  const known = new Set(rawTasks.map(({ id }) => id))
  const unknown = [...runs.keys()].filter((id) => !known.has(id))
  if (unknown.length > 0)
    notes.push(
      `${unknown.length} ${unknown.length === 1 ? 'task' : 'tasks'} of the execution (${sample(unknown)}) that the specification does not have: left out.`,
    )
  return rawTasks
}

function parseTasks14(workflow: Fields): RawTask[] {
  if (!Object.hasOwn(workflow, 'tasks') && Object.hasOwn(workflow, 'specification'))
    throw new ImportError(
      'workflow.tasks',
      "it is missing, but there is a 'specification' as in schema 1.5; correct the schemaVersion.",
    )
  const list = taskList(workflow, 'workflow').map((task) => {
    const label = textIn(task.fields, 'name', task.where)
    if (label === undefined)
      throw new ImportError(join(task.where, 'name'), 'the name of the task is missing.')
    return { ...task, label, own: textIn(task.fields, 'id', task.where) }
  })
  const count = new Map<string, number>()
  for (const { label } of list) count.set(label, (count.get(label) ?? 0) + 1)
  return list.map(({ fields, where, label, own }): RawTask => {
    // Tasks are referred to by name; ids distinguish tasks of the same name.
    const id = (count.get(label) ?? 0) > 1 && own !== undefined ? `${label}_${own}` : label
    return { fields, where, id, label, run: { fields, where } }
  })
}

/** Resolves a reference to a task: its id, its name with its id, or its name when it is unique. */
function resolver(rawTasks: readonly RawTask[]): (name: string, where: string) => string {
  const ids = new Set(rawTasks.map(({ id }) => id))
  const others = new Map<string, Set<string>>()
  for (const { id, label, fields } of rawTasks)
    for (const name of [label, fields.id, `${label}_${String(fields.id)}`]) {
      if (typeof name !== 'string' || name === id) continue
      const known = others.get(name) ?? new Set()
      others.set(name, known.add(id))
    }
  return (name, where) => {
    if (ids.has(name)) return name
    const [found, second] = others.get(name) ?? []
    if (found === undefined) throw new ImportError(where, `${quoted(name)} is no task of this file.`)
    if (second !== undefined)
      throw new ImportError(where, `${quoted(name)} is the name of more than one task; use the id.`)
    return found
  }
}

/** Adds edges that only the parent names; usually both ends name them. */
function addChildren(
  rawTasks: readonly RawTask[],
  tasks: readonly TraceTask[],
  resolve: (name: string, where: string) => string,
  notes: string[],
): void {
  const parents = new Map(tasks.map((task) => [task.id, new Set(task.parents)]))
  const added: string[] = []
  for (const { fields, where, id } of rawTasks)
    for (const [at, name] of textsIn(fields, 'children', where).entries()) {
      const child = resolve(name, `${where}.children[${at}]`)
      const known = parents.get(child)
      if (!known || known.has(id)) continue
      known.add(id)
      added.push(`${id} -> ${child}`)
    }
  for (const task of tasks) task.parents = [...(parents.get(task.id) ?? [])]
  if (added.length > 0)
    notes.push(
      `${added.length} ${added.length === 1 ? 'edge' : 'edges'} that only the parent names (${sample(added)}): taken.`,
    )
}

function readFiles(workflow: Fields, sizes: Map<string, number | undefined>, notes: string[]): void {
  const where = 'workflow.specification'
  const list = listIn(objectIn(workflow, 'specification', 'workflow') ?? {}, 'files', where) ?? []
  for (const [at, value] of list.entries()) {
    const place = `${where}.files[${at}]`
    const fields = objectAt(value, place)
    const id = textIn(fields, 'id', place)
    if (id === undefined) throw new ImportError(join(place, 'id'), 'the id of the file is missing.')
    recordSize(id, amountIn(fields, ['sizeInBytes'], place, MAX_FILE_BYTES), sizes, notes)
  }
}

/** The files of a task up to schema 1.4. Sizes are bytes: the schema 1.3 says KB, the published instances hold bytes. */
function ownFiles(raw: RawTask, sizes: Map<string, number | undefined>, notes: string[]) {
  const reads = new Set<string>()
  const writes = new Set<string>()
  for (const [at, value] of (listIn(raw.fields, 'files', raw.where) ?? []).entries()) {
    const place = `${raw.where}.files[${at}]`
    const fields = objectAt(value, place)
    const name = textIn(fields, 'name', place)
    if (name === undefined) throw new ImportError(join(place, 'name'), 'the name of the file is missing.')
    const file = `${textIn(fields, 'path', place) ?? ''}${name}`
    const link = typeof fields.link === 'string' ? fields.link.toLowerCase() : fields.link
    if (link !== 'input' && link !== 'output')
      throw new ImportError(
        join(place, 'link'),
        `'input' or 'output' belongs here, not ${describe(fields.link)}.`,
      )
    recordSize(file, amountIn(fields, ['sizeInBytes', 'size'], place, MAX_FILE_BYTES), sizes, notes)
    if (link === 'input') reads.add(file)
    else writes.add(file)
  }
  return { reads: [...reads], writes: [...writes] }
}

/** Records the size of a file. The first one counts; a different one later is a note. */
function recordSize(
  file: string,
  bytes: number | undefined,
  sizes: Map<string, number | undefined>,
  notes: string[],
): void {
  const known = sizes.get(file)
  const whole = bytes === undefined ? undefined : Math.round(bytes)
  if (known === undefined) sizes.set(file, whole)
  else if (whole !== undefined && whole !== known && notes.length < 100)
    notes.push(
      `The file ${quoted(file)} has ${known} bytes in one place and ${whole} in another: ${known} taken.`,
    )
}

/** The speed of the machine of each task, relative to the reference core. */
function relativeSpeeds(
  home: Fields | undefined,
  split: boolean,
  { referenceMHz = REFERENCE_MHZ }: WfCommonsOptions,
) {
  const where = split ? 'workflow.execution' : 'workflow'
  const clocks = new Map<string, number | undefined>()
  for (const [at, value] of ((home && listIn(home, 'machines', where)) ?? []).entries()) {
    const place = `${where}.machines[${at}]`
    const machine = objectAt(value, place)
    const name = textIn(machine, 'nodeName', place) ?? ''
    const cpu = objectIn(machine, 'cpu', place) ?? {}
    const clock = amountIn(cpu, ['speedInMHz', 'speed'], join(place, 'cpu'), MAX_CLOCK_MHZ)
    clocks.set(name, clock === undefined || clock === 0 ? undefined : clock)
  }
  const [only] = clocks.size === 1 ? clocks.values() : []
  const used = new Map<number, number>()
  let unknown = 0
  return {
    of({ run }: RawTask): number {
      if (referenceMHz === null || !run) return 1
      const names = [run.fields.machine, ...(listIn(run.fields, 'machines', run.where) ?? [])]
      const clock = names.map((name) => clocks.get(String(name))).find((one) => one !== undefined) ?? only
      if (clock === undefined) {
        unknown++
        return 1
      }
      used.set(clock, (used.get(clock) ?? 0) + 1)
      return clock / referenceMHz
    },
    notes(): string[] {
      const all = [...used.keys()].sort((a, b) => a - b)
      const range = all.length > 1 ? `${all[0]} to ${all.at(-1)}` : `${all[0]}`
      return [
        ...(all.some((clock) => clock !== referenceMHz)
          ? [
              `Runtimes are scaled from the ${range} MHz that the trace gives for its machines to a reference core of ${referenceMHz} MHz; traces often give the clock of an idle machine, so this may be too little.`,
            ]
          : []),
        ...(unknown > 0 && used.size > 0
          ? [
              `${unknown} ${unknown === 1 ? 'task' : 'tasks'} on machines of unknown speed: runtimes taken as they are.`,
            ]
          : []),
        ...(unknown > 0 && used.size === 0
          ? ['The trace does not give the speed of its machines: runtimes are taken as they are.']
          : []),
      ]
    },
  }
}
