/** Converts a trace to a workflow and a profile, with notes on what could not be carried over. */
import {
  assumedProfile,
  columnOf,
  constant,
  PROFILE_COLUMNS,
  type Profile,
  type TaskProfile,
} from '@hivemind/swarm'
import type { ArgValue, DataItem, Task, Workflow } from '@hivemind/workflow'
import { quoted } from './error.ts'
import { childrenOf, type Graph, graphOf, transitiveReduction } from './graph.ts'
import { Names, projectName } from './names.ts'
import type { Trace, TraceTask } from './trace.ts'

/** An imported workflow. */
export interface Imported {
  /** A name for the workflow and its folder. */
  name: string
  /** One sentence: what it is and where it comes from. */
  about: string
  workflow: Workflow
  /** Service times on the reference core, and bytes of output. */
  profile: Profile
  /** What could not be carried over as it was, in sentences. */
  notes: string[]
}

/** The code of every imported task. */
export const REPLAY_PATH = 'tasks/replay.mjs'

/** Beyond this many edges, those that carry no data and are implied by others are left out. */
const MAX_EDGES_KEPT_WHOLE = 20_000

/**
 * Converts a trace. Each task becomes one task, its output files become one data item, and files that no task writes become
 * inputs of the workflow. Notes say what the language or the profile cannot express.
 * @throws ImportError when the tasks are no DAG
 */
export function convert(trace: Trace): Imported {
  const notes = [...trace.notes]
  const flows = new Flows(trace, graphOf(trace), notes)
  const parents = dropRedundantEdges(flows.graph, (parent, child) => !flows.carries(parent, child), notes)
  const children = childrenOf(parents)
  const names = new Names()
  const taskNames = trace.tasks.map((task) => names.take(task.id))
  const nameAt = (at: number) => taskNames[at] as string
  const data: DataItem[] = []
  const describe = (name: string, bytes: number | undefined): string => {
    data.push({
      name,
      kind: 'object',
      declared: true,
      ...(bytes === undefined ? {} : { size: { dimension: 'size', value: bytes, text: `${bytes}B` } }),
    })
    return name
  }
  const outputs = trace.tasks.map(({ writes }, at) =>
    writes.length === 0 ? null : describe(names.take(`${nameAt(at)}_out`), flows.outputBytes(at)),
  )
  const tasks = trace.tasks.map((task, at): Task => {
    const before = parents[at] ?? []
    const outside = before.length === 0 ? flows.outsideBytes(at) : undefined
    const dataIn =
      outside === undefined
        ? before.flatMap((parent) => {
            const output = outputs[parent]
            return output && flows.carries(parent, at) ? [output] : []
          })
        : [describe(names.take(`${nameAt(at)}_in`), outside.bytes)]
    return {
      name: nameAt(at),
      dataIn,
      dataOut: outputs[at] ?? null,
      code: REPLAY_PATH,
      parents: before.map(nameAt),
      children: (children[at] ?? []).map(nameAt),
      args: argsOf(task, nameAt(at), dataIn.length === 0 && outputs[at] !== null, flows.outputBytes(at)),
      directives: {},
    }
  })
  const workflow: Workflow = { schema: 'hivemind.workflow/1', tasks, data, relations: [], constraints: [] }
  return {
    name: projectName(trace.name),
    about: trace.about,
    workflow,
    profile: profileOf(trace, workflow, flows, notes),
    notes,
  }
}

function argsOf(
  task: TraceTask,
  name: string,
  needsRole: boolean,
  bytes: number | undefined,
): Record<string, ArgValue> {
  return {
    // Without it, a task that reads nothing would be taken for a sensor.
    ...(needsRole ? { role: 'compute' } : {}),
    ...(task.id === name ? {} : { traceId: task.id }),
    ...(task.label === task.id ? {} : { traceName: task.label }),
    ...(task.serviceMs === undefined ? {} : { traceMs: task.serviceMs }),
    ...(bytes === undefined || task.writes.length === 0 ? {} : { traceBytes: bytes }),
  }
}

function dropRedundantEdges(
  graph: Graph,
  droppable: (parent: number, child: number) => boolean,
  notes: string[],
): number[][] {
  const count = (parents: number[][]) => parents.reduce((sum, list) => sum + list.length, 0)
  const all = count(graph.parents)
  if (all <= MAX_EDGES_KEPT_WHOLE) return graph.parents
  const fewer = transitiveReduction(graph, droppable)
  const left = all - count(fewer)
  if (left > 0)
    notes.push(
      `${left} of ${all} edges are left out: they carry no data and follow from other edges, so the order is the same.`,
    )
  return fewer
}

function profileOf(trace: Trace, workflow: Workflow, flows: Flows, notes: string[]): Profile {
  const profile = assumedProfile(workflow)
  const tasks: [string, TaskProfile][] = workflow.tasks.map(({ name }, at) => {
    const assumed = profile.tasks[name]
    const serviceMs = trace.tasks[at]?.serviceMs
    const bytes = flows.outputBytes(at)
    const tier = assumed && columnOf(assumed, PROFILE_COLUMNS[0])
    if (!assumed || !tier) throw new Error(`There is no assumed profile of '${name}'.`)
    const known = {
      ...tier,
      ...(serviceMs === undefined ? {} : { serviceMs: constant(serviceMs, 1) }),
      ...(bytes === undefined ? {} : { outputBytes: constant(bytes, 1) }),
    }
    const origin = serviceMs === undefined ? 'assumed' : trace.origin
    return [name, { origin, ...Object.fromEntries(PROFILE_COLUMNS.map((column) => [column, known])) }]
  })
  const untimed = trace.tasks.filter(({ serviceMs }) => serviceMs === undefined)
  if (untimed.length > 0)
    notes.push(
      `${tasksOf(untimed.length)} without a runtime (${sample(untimed.map(({ id }) => id))}): their times are assumed.`,
    )
  return { schema: 'hivemind.profile/1', note: trace.about, tasks: Object.fromEntries(tasks) }
}

/** Which data flows over which edge. */
class Flows {
  /** The trace's graph, with an edge from the writer of a file to each reader. */
  readonly graph: Graph
  readonly #trace: Trace
  readonly #carrying: Set<number>[]
  /** By task: the files it reads that no task writes. */
  readonly #outside: string[][]

  constructor(trace: Trace, graph: Graph, notes: string[]) {
    this.#trace = trace
    this.#carrying = trace.tasks.map(() => new Set<number>())
    this.#outside = trace.tasks.map(() => [])
    const writers = new Map<string, number[]>()
    for (const [at, { writes }] of trace.tasks.entries())
      for (const file of writes) writers.set(file, [...(writers.get(file) ?? []), at])
    const several = [...writers].filter(([, list]) => list.length > 1).map(([file]) => file)
    if (several.length > 0)
      notes.push(
        `${several.length === 1 ? 'One file is' : `${several.length} files are`} written by more than one task (${sample(several)}): each writer keeps its own, and only a parent's is read.`,
      )
    const added: [number, number][] = []
    const unread: string[] = []
    const parents = graph.parents.map((list) => [...list])
    const isParent = parents.map((list) => new Set(list))
    const rank = new Uint32Array(trace.tasks.length)
    for (const [position, at] of graph.order.entries()) rank[at] = position
    for (const [reader, { reads }] of trace.tasks.entries())
      for (const file of reads) {
        const others = writers.get(file)?.filter((at) => at !== reader) ?? []
        const known = others.filter((at) => isParent[reader]?.has(at))
        const [writer] = others
        if (known.length > 0) for (const at of known) this.#carrying[reader]?.add(at)
        else if (writer === undefined) this.#outside[reader]?.push(file)
        else if (others.length === 1 && (rank[writer] ?? 0) < (rank[reader] ?? 0)) {
          // In the direction of an order of all tasks, an edge cannot close a cycle.
          parents[reader]?.push(writer)
          isParent[reader]?.add(writer)
          this.#carrying[reader]?.add(writer)
          added.push([writer, reader])
        } else unread.push(`${trace.tasks[reader]?.id} reads ${file}`)
      }
    this.graph = { tasks: graph.tasks, parents, order: graph.order }
    if (added.length > 0)
      notes.push(
        `${added.length} ${added.length === 1 ? 'edge was' : 'edges were'} added, from the task that writes a file to one that reads it (${sample(added.map(([from, to]) => `${trace.tasks[from]?.id} -> ${trace.tasks[to]?.id}`))}).`,
      )
    if (unread.length > 0)
      notes.push(
        `${unread.length} ${unread.length === 1 ? 'read of a file is' : 'reads of files are'} not carried over, because it is not clear which task's file is meant: several write it, or one that runs later (${sample(unread)}).`,
      )
    this.#noteFiles(notes)
  }

  /** Whether the child reads what the parent writes. */
  carries(parent: number, child: number): boolean {
    return this.#carrying[child]?.has(parent) ?? false
  }

  /** Bytes of everything a task writes: 0 when it writes nothing, undefined when a size is missing. */
  outputBytes(at: number): number | undefined {
    return this.#bytesOf(this.#trace.tasks[at]?.writes ?? [])
  }

  /** The files a task reads from outside: undefined when there are none; `bytes` is undefined when a size is missing. */
  outsideBytes(at: number): { bytes: number | undefined } | undefined {
    const files = this.#outside[at] ?? []
    return files.length === 0 ? undefined : { bytes: this.#bytesOf(files) }
  }

  #bytesOf(files: readonly string[]): number | undefined {
    let sum = 0
    for (const file of files) {
      const bytes = this.#trace.sizes.get(file)
      if (bytes === undefined) return undefined
      sum += bytes
    }
    return sum
  }

  #noteFiles(notes: string[]): void {
    const { tasks, sizes } = this.#trace
    const several = tasks.filter(({ writes }) => writes.length > 1)
    if (several.length > 0)
      notes.push(
        `${tasksOf(several.length)} with more than one output file (${sample(several.map(({ id }) => id))}): a task writes one piece of data here, so the files are one, with the sum of their sizes.`,
      )
    let partly = 0
    let surplus = 0
    for (const [child, list] of this.#carrying.entries()) {
      const reads = new Set(tasks[child]?.reads)
      for (const parent of list) {
        const unread = tasks[parent]?.writes.filter((file) => !reads.has(file)) ?? []
        if (unread.length === 0) continue
        partly++
        surplus += this.#bytesOf(unread.filter((file) => sizes.get(file) !== undefined)) ?? 0
      }
    }
    if (partly > 0)
      notes.push(
        `On ${partly} ${partly === 1 ? 'edge' : 'edges'} the child reads only some of the parent's files; all of them are handed over, ${humanBytes(surplus)} more than in the trace.`,
      )
    const inner = this.#outside.flatMap((files, at) =>
      files.length > 0 && (this.graph.parents[at]?.length ?? 0) > 0 ? [{ at, files }] : [],
    )
    if (inner.length > 0)
      notes.push(
        `${tasksOf(inner.length)} with parents that also read files from outside (${sample(inner.map(({ at }) => tasks[at]?.id ?? ''))}): only first tasks read inputs here, so these files, ${humanBytes(
          inner.reduce(
            (sum, { files }) => sum + files.reduce((bytes, file) => bytes + (sizes.get(file) ?? 0), 0),
            0,
          ),
        )}, are not carried over.`,
      )
    const used = new Set(tasks.flatMap(({ reads, writes }) => [...reads, ...writes]))
    const sizeless = [...used].filter((file) => sizes.get(file) === undefined)
    if (sizeless.length > 0)
      notes.push(
        `${sizeless.length} ${sizeless.length === 1 ? 'file' : 'files'} without a size (${sample(sizeless)}): what they are part of has an assumed size.`,
      )
  }
}

const tasksOf = (count: number) => (count === 1 ? 'One task' : `${count} tasks`)

/** The first three names, for a note. */
export function sample(names: readonly string[]): string {
  const first = names.slice(0, 3).map(quoted).join(', ')
  return names.length > 3 ? `${first}, ...` : first
}

/** Bytes with three digits and a unit. */
export function humanBytes(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB']
  let value = bytes
  let unit = 0
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000
    unit++
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toPrecision(3)} ${units[unit]}`
}
