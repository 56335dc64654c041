/** The result of every reader: tasks with parents, files and times, checked one by one but not yet as a graph. */

/** A task of a trace, as its reader found it. */
export interface TraceTask {
  /** Unique in the trace; parents refer to it. */
  id: string
  /** Its name in the trace, for people. */
  label: string
  /** Ids, each once. */
  parents: string[]
  /** Files it reads and writes, by name, each once. */
  reads: string[]
  writes: string[]
  /** Time of one call on the reference core, in ms; absent when the trace does not say. */
  serviceMs?: number
  /** Its place in the file, for messages. */
  where: string
}

/** A workflow read from a file, before it becomes a HiveMind workflow and a profile. */
export interface Trace {
  name: string
  /** One sentence: what it is and where it comes from. */
  about: string
  tasks: TraceTask[]
  /** Bytes of each file; absent or undefined when the trace does not say. */
  sizes: Map<string, number | undefined>
  /** Whether its times were measured somewhere. */
  origin: 'measured' | 'assumed'
  /** What could not be carried over as it was, in sentences. */
  notes: string[]
}

/** Maximum number of tasks that are read: beyond the limits of editor and deployment. */
export const MAX_TASKS = 10_000
/** Maximum number of edges that are read. */
export const MAX_EDGES = 1_000_000
