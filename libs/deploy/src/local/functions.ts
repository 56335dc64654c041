/** Functions as processes of this machine. */
import os from 'node:os'
import type { Bundle } from '@hivemind/synthesis'
import type { CoreAssignment } from '@hivemind/task-runner'
import {
  type FunctionRecord,
  type FunctionSpec,
  LocalFunctions,
  type LocalFunctionsOptions,
} from '@hivemind/task-runner/functions'
import { unpackBundle } from '../bundles.ts'
import type { FunctionHosting, FunctionWork, PreparedFunction } from '../functions/hosting.ts'
import { servedTask } from '../functions/served.ts'

/** Invocations of one function at once: as many processes it has at most. */
const CONCURRENCY = Math.max(2, Math.min(4, os.availableParallelism()))

export interface ProcessHostingOptions extends LocalFunctionsOptions {
  /** Folder that bundles are unpacked into. */
  bundlesDir: string
  /** Cores of the deployment, once they are known. */
  cores: () => CoreAssignment | undefined
}

/** `LocalFunctions` for the tasks of a deployment. */
export class ProcessHosting implements FunctionHosting {
  readonly concurrency = CONCURRENCY
  readonly #functions: LocalFunctions
  readonly #options: ProcessHostingOptions
  /** Bundles that are being written; the folder may go when they are. */
  readonly #unpacking = new Set<Promise<string>>()

  constructor(options: ProcessHostingOptions) {
    this.#options = options
    this.#functions = new LocalFunctions(options)
  }

  async prepare(work: FunctionWork, signal: AbortSignal): Promise<PreparedFunction> {
    const { dir, cores } = this.#options
    const folderOf = (bundle: Bundle | undefined) => (bundle ? this.#unpack(work.projectDir, bundle) : dir)
    const folder = await folderOf(work.bundle)
    const folders: Record<string, string> = {}
    for (const { task, bundle } of work.coPlaced ?? []) folders[task.name] = await folderOf(bundle)
    signal.throwIfAborted()
    const prepared = await this.#functions.prepare(functionSpec(work, folder, folders, cores()), signal)
    return {
      ...(prepared.endpoint && { endpoint: prepared.endpoint }),
      commit: async () => void prepared.commit(),
      discard: async () => prepared.discard(),
    }
  }

  async attach(records: readonly Record<string, unknown>[]): Promise<void> {
    await this.#functions.attach(records as unknown as FunctionRecord[])
  }

  records(): Record<string, unknown>[] {
    return this.#functions.records() as unknown as Record<string, unknown>[]
  }

  endpoint(name: string) {
    return this.#functions.endpoint(name)
  }

  statuses() {
    return this.#functions.statuses()
  }

  logs(name: string, starting: boolean): string[] {
    const lines = starting ? this.#functions.startLogs(name) : this.#functions.logs(name)
    return lines.map(({ text }) => text)
  }

  stop(name: string) {
    return this.#functions.stop(name)
  }

  async stopAll(): Promise<void> {
    await this.#functions.stopAll()
    await Promise.allSettled(this.#unpacking)
  }

  async close(): Promise<void> {
    await this.#functions.close()
    await Promise.allSettled(this.#unpacking)
  }

  #unpack(projectDir: string, bundle: Bundle): Promise<string> {
    const unpacking = unpackBundle(projectDir, bundle, this.#options.bundlesDir)
    this.#unpacking.add(unpacking)
    return unpacking.finally(() => this.#unpacking.delete(unpacking))
  }
}

/**
 * How a function is served on this machine.
 * @param folders of the code of co-placed tasks
 */
function functionSpec(
  { name, workflow, task, bundle, coPlaced = [], board, node }: FunctionWork,
  dir: string,
  folders: Readonly<Record<string, string>>,
  cores: CoreAssignment | undefined,
): FunctionSpec {
  const own = cores?.isolated.get(name)
  const onCores =
    cores && cores.isolated.size > 0 ? { cores: own === undefined ? cores.shared : [own] } : undefined
  return {
    workflow,
    ...servedTask(task, bundle),
    dir,
    ...(coPlaced.length > 0 && {
      coPlaced: coPlaced.map(({ task: each, bundle: own }) => ({
        ...servedTask(each, own),
        dir: folders[each.name] ?? dir,
        after: each.parents,
        ...onCores,
      })),
    }),
    concurrency: task.isolate || board !== undefined ? 1 : CONCURRENCY,
    ...(board !== undefined && { board }),
    ...(node !== undefined && { node }),
    ...onCores,
  }
}
