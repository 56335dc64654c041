/** The tasks of a function host: one, or several that are co-placed, each with processes of its own. */
import {
  type FunctionConfig,
  type FunctionLog,
  functionName,
  type RunnerSpec,
  type TaskRunner,
} from '@hivemind/task-runner'
import { checkCode } from './code.ts'
import { ProcessPool } from './pool.ts'
import { Refusal } from './refusal.ts'

/** A task that is served. */
export interface HostedTask {
  /** As of a function of this task alone. */
  config: Omit<FunctionConfig, 'coPlaced'>
  /** The tasks whose items it is called with, where it is co-placed with them. */
  after?: readonly string[]
  pool: ProcessPool
}

/** The tasks of a host, by name. */
export class HostTasks {
  readonly #byName: ReadonlyMap<string, HostedTask>
  readonly #first: string

  /** @param create makes what runs one invocation of a task at a time */
  constructor(
    config: FunctionConfig,
    create: (spec: RunnerSpec) => TaskRunner,
    onLoadLog: (log: FunctionLog, task: string) => void,
  ) {
    const { coPlaced = [], ...first } = config
    const { workflow, node, sink, concurrency } = config
    const shared = {
      workflow,
      concurrency,
      ...(node !== undefined && { node }),
      ...(sink !== undefined && { sink }),
    }
    const hosted = (own: HostedTask['config'], after?: readonly string[]): [string, HostedTask] => {
      const spec: RunnerSpec = { ...own, onLoadLog: (level, text) => onLoadLog({ level, text }, own.task) }
      const pool = new ProcessPool(functionName([own.task], node), concurrency, () => create(spec))
      return [own.task, { config: own, ...(after !== undefined && { after }), pool }]
    }
    this.#first = config.task
    this.#byName = new Map([
      hosted(first),
      ...coPlaced.map(({ after, ...own }) => hosted({ ...own, ...shared }, after)),
    ])
  }

  /** The task that a call names: the first when it names none. Throws `Refusal` (404). */
  of(name: string | undefined): HostedTask {
    const found = this.#byName.get(name ?? this.#first)
    if (found) return found
    const known = [...this.#byName.keys()].map((task) => `'${task}'`).join(', ')
    throw new Refusal(404, `There is no task '${name}' here; this function serves ${known}.`)
  }

  /** The co-placed task of that name, if there is one. */
  coPlaced(name: string): (HostedTask & Required<Pick<HostedTask, 'after'>>) | undefined {
    const found = this.#byName.get(name)
    return found?.after && { ...found, after: found.after }
  }

  get running(): number {
    return this.#sum(({ running }) => running)
  }

  get waiting(): number {
    return this.#sum(({ waiting }) => waiting)
  }

  /** Resident memory of all processes, in MB. */
  memoryMB(): number {
    return this.#sum((pool) => pool.memoryMB())
  }

  /** Starts a process of each task. Rejects with `TaskError` when code cannot be loaded, or is not what was deployed. */
  async warm(): Promise<void> {
    await Promise.all(
      [...this.#byName.values()].map(async ({ config, pool }) => {
        await checkCode(config)
        await pool.warm()
      }),
    )
  }

  /** Ends all processes. */
  async close(): Promise<void> {
    await Promise.all([...this.#byName.values()].map(({ pool }) => pool.close()))
  }

  #sum(of: (pool: ProcessPool) => number): number {
    return [...this.#byName.values()].reduce((sum, { pool }) => sum + of(pool), 0)
  }
}
