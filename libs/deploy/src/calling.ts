/** The calls of functions that a run makes: their inputs, their ways, and what becomes of what they emit. */
import {
  type CloudItem,
  type CloudResult,
  type CloudWork,
  executionTraceparent,
  type TaskInputRef,
  WorkFailure,
} from '@hivemind/orchestrator'
import { followersOf, functionTasks, isKept, type Plan, type PlanTask, poolOf } from '@hivemind/synthesis'
import { hasSeveralTasks, TaskError, type TaskInput } from '@hivemind/task-runner'
import { type EncodedValue, encodeValue, MAX_PREVIEW_BYTES, referTo, type ValueRef } from '@hivemind/values'
import {
  type FunctionClient,
  type FunctionEndpoint,
  type FunctionHandlers,
  NotContinued,
} from './functions/client.ts'
import { HandOvers } from './functions/hand-over.ts'
import type { FunctionHosting } from './functions/hosting.ts'
import type { FleetHub } from './hub.ts'
import type { Trial, TriedCall } from './trial.ts'
import type { RunOptions } from './types.ts'

/** What calls need of a deployment. */
export interface CallEndpoints {
  hub: Pick<FleetHub, 'data'>
  /** Where functions are, and what calls them. */
  functions: Pick<FunctionHosting, 'endpoint' | 'wake'>
  /** Name of the function of a task that serves a device, by the device's number from 0. */
  functionFor(task: PlanTask, device: number): string
  client: FunctionClient
  /** New functions that take a share of the calls, at the moment. */
  trial(): Trial | undefined
}

/** The run whose calls they are. */
export interface CallingRun {
  run: string
  plan: Plan
  /** Tasks that are not called: what they gave is recorded. */
  recorded: ReadonlySet<string>
  /** W3C `traceparent` of the request that started the run. */
  traceparent: string | undefined
  onEvent: NonNullable<RunOptions['onEvent']>
}

/** Wall clock, ms since 1970 with fraction, that does not jump. */
export const now = (): number => performance.timeOrigin + performance.now()

/** The calls of one run. */
export class FunctionCalls {
  readonly #endpoints: CallEndpoints
  readonly #run: CallingRun
  readonly #calledNext: CalledNext
  readonly #followers: ReadonlyMap<string, readonly PlanTask[]>
  readonly #handOvers = new HandOvers(now)

  constructor(endpoints: CallEndpoints, run: CallingRun) {
    this.#endpoints = endpoints
    this.#run = run
    this.#calledNext = calledAfter(run.plan)
    this.#followers = followersIn(run.plan, run.recorded)
  }

  /** Makes a call, or takes what a container has given that went on by itself. Rejects with `WorkFailure`. */
  async invoke(
    work: CloudWork,
    onItem: (item: CloudItem, index: number) => void,
    signal: AbortSignal,
  ): Promise<CloudResult> {
    const { hub, functions, functionFor, client, trial } = this.#endpoints
    const { run, plan, traceparent: outer, onEvent } = this.#run
    const { task, device } = work
    const keep = (key: string, value: EncodedValue): Promise<ValueRef> =>
      referTo(
        hub.data,
        poolOf(run, task),
        `${task.name}/${device}/${key}`,
        value,
        // Of a result that travels along only the preview would be left.
        isKept(task) ? MAX_PREVIEW_BYTES : undefined,
      )
    const going = this.#handOvers.take(work)
    let inputs = going ? undefined : await resolved(hub, work.inputs)
    const from = going?.handedAt ?? now()
    const generates = task.kindIn === 'object' && task.kindOut === 'stream'
    // From a checkpoint the code goes on; without one it begins anew, and what was emitted before is passed over.
    const resumes = generates && work.state !== null && task.restore === 'checkpoint'
    const skip = generates && !resumes ? work.firstItem : 0
    let emitted = false
    const name = functionFor(task, work.deviceIndex)
    // State goes from call to call of one version.
    const tried =
      task.stateKey === undefined && !going
        ? trial()?.take(name, hasSeveralTasks(name) ? task.name : name)
        : undefined
    // what an earlier try has emitted may be on its way already
    const next = (tried || work.attempt > 1 ? [] : (this.#followers.get(task.name) ?? [])).map((each) => ({
      task: each.name,
      after: each.parents,
      traceparent: executionTraceparent(run, outer, { task: each.name, device, seq: work.seq, attempt: 1 }),
    }))
    let chain = going?.chain
    const handlers: FunctionHandlers = {
      onItem: async ({ value, parts, state: after }, index) => {
        const at = resumes ? index - work.firstItem : index - skip
        if (at < 0) return
        emitted = true
        const seq = work.firstItem + at
        const ref = await keep(String(seq), value)
        const shares: Record<string, ValueRef> = {}
        for (const [part, shared] of Object.entries(parts ?? {}))
          shares[part] = await keep(`${seq}/${part}`, shared)
        chain?.emitted(task.name, ref)
        onItem({ ref, ...(parts && { parts: shares }), ...(after && { state: after }) }, at)
      },
      onLog: ({ level, text }) =>
        onEvent({
          type: 'log',
          at: now(),
          line: { at: now(), level, source: task.name, ...(device === '*' ? {} : { device }), text },
        }),
      signal,
    }
    const call = async (endpoint: () => Promise<FunctionEndpoint>) => {
      inputs ??= await resolved(hub, work.inputs)
      chain = next.length > 0 ? this.#handOvers.begin(work, next) : undefined
      return client.invoke(
        endpoint,
        {
          id: work.id,
          workflow: plan.workflow,
          task: task.name,
          run,
          lane: device,
          index: work.deviceIndex,
          devices: work.devices,
          seq: work.seq,
          attempt: work.attempt,
          timeoutMs: task.timeoutMs,
          inputs,
          ...(Number.isFinite(work.maxItems) && { maxItems: work.maxItems + skip }),
          ...(task.stateKey !== undefined && { key: device }),
          ...(work.state && { state: work.state }),
          ...(resumes && work.firstItem > 0 && { firstIndex: work.firstItem }),
          ...(work.scatterTo && { scatterTo: work.scatterTo }),
          ...(task.paceMs !== undefined && { paceMs: task.paceMs }),
          traceparent: work.traceparent,
          ...(chain && { next }),
        },
        { ...handlers, ...(chain && { rest: chain }) },
      )
    }
    const before = () => functions.endpoint(name)
    for (const child of this.#calledNext.get(task.name) ?? [])
      functions.wake?.(functionFor(child, work.deviceIndex))
    const made = tried
      ? tryOut(tried, call, before, () => emitted)
      : going
        ? going.answer(handlers).catch((error: unknown) => {
            if (error instanceof NotContinued) return call(before)
            throw error
          })
        : call(before)
    const { state, ...stats } = await made.catch((error: unknown) => {
      if (error instanceof WorkFailure) throw error
      if (error instanceof TaskError) throw new WorkFailure(error.kind, error.message, error.detail)
      throw error
    })
    const endedAt = now()
    const { waitMs, executionMs, waitedMs, startMs, pacedMs } = stats
    const inside = waitMs + startMs + waitedMs + executionMs + pacedMs
    // a container goes on with an item before that has come here
    const total = going ? Math.max(endedAt - from, inside) : endedAt - from
    // by a way that does not tell when the container was there, all that was not inside of it
    const { containerMs = stats.fromZero ? Math.max(0, total - inside) : 0 } = stats
    const coldStartMs = containerMs + startMs
    const management = waitMs + waitedMs + coldStartMs
    const worked = inside + containerMs
    return {
      worker: stats.worker,
      ...(going && { queuedAt: endedAt - total }),
      startedAt: stats.startedAt,
      endedAt,
      breakdown: {
        network: 0,
        management,
        dataExchange: Math.max(0, total - worked),
        execution: executionMs,
      },
      ...(coldStartMs > 0 && { coldStartMs }),
      bytesIn: stats.bytesIn,
      bytesOut: stats.bytesOut,
      items: Math.max(0, stats.items - skip),
      ...(state && { state }),
    }
  }

  /** Ends what containers still do for the run. */
  close(): void {
    this.#handOvers.close()
  }
}

/** The tasks that a container goes on with behind a task, by its name. */
function followersIn(plan: Plan, recorded: ReadonlySet<string>): ReadonlyMap<string, readonly PlanTask[]> {
  return new Map(
    plan.tasks.map(({ name }) => [name, followersOf(plan, name).filter((task) => !recorded.has(task.name))]),
  )
}

type CalledNext = ReadonlyMap<string, readonly PlanTask[]>

/** The functions that are called when a call of a task has ended, by its name; without those that wait for the calls of others. */
function calledAfter(plan: Plan): CalledNext {
  const called = functionTasks(plan).filter(({ barrier }) => barrier === undefined)
  return new Map(
    plan.tasks.map(({ name, children }) => [name, called.filter((task) => children.includes(task.name))]),
  )
}

/** Makes a call that is tried; one that the new function fails goes to the one before, unless something of it is out already. */
async function tryOut<T>(
  tried: TriedCall,
  call: (endpoint: () => Promise<FunctionEndpoint>) => Promise<T>,
  before: () => Promise<FunctionEndpoint>,
  emitted: () => boolean,
): Promise<T> {
  try {
    const answer = await call(tried.endpoint ?? before)
    tried.ended()
    return answer
  } catch (error) {
    if (error instanceof WorkFailure && error.kind === 'cancelled') throw error
    tried.ended(error as Error)
    if (!tried.endpoint || emitted()) throw error
    return call(before)
  }
}

/** The values of inputs, by name: what is carried along, or what the data port keeps. */
async function resolved(
  hub: CallEndpoints['hub'],
  inputs: CloudWork['inputs'],
): Promise<Record<string, TaskInput>> {
  const values: Record<string, TaskInput> = {}
  for (const [name, input] of Object.entries(inputs)) values[name] = await resolve(hub, input)
  return values
}

/** The values of an input: what is carried along, or what the data port keeps. */
async function resolve(hub: CallEndpoints['hub'], input: TaskInputRef): Promise<TaskInput> {
  if (input.kind === 'none') return input
  if (input.kind === 'one') return { kind: 'one', value: await hub.data.get(input.ref) }
  return {
    kind: 'many',
    items: await Promise.all(
      input.items.map(async ({ device, seq, ref }) => ({
        device,
        seq,
        value: ref === null ? encodeValue(null) : await hub.data.get(ref),
      })),
    ),
  }
}
