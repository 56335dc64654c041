/** A run over the endpoints of a deployment: functions by HTTP, devices by the hub's channel. */
import { randomUUID } from 'node:crypto'
import type { Up } from '@hivemind/agent-protocol'
import {
  type CloudResult,
  type CloudWork,
  executionTraceparent,
  type FleetEvent,
  giveRecorded,
  RunFold,
  type RunResult,
  resumeRun,
  type Span,
  type TaskInputRef,
  WorkFailure,
} from '@hivemind/orchestrator'
import {
  followersOf,
  functionTasks,
  isKept,
  type Plan,
  type PlanTask,
  passingPoolOf,
  poolOf,
} from '@hivemind/synthesis'
import { TaskError, type TaskInput } from '@hivemind/task-runner'
import {
  type EncodedValue,
  encodeValue,
  MAX_PREVIEW_BYTES,
  previewOf,
  referTo,
  type ValueRef,
} from '@hivemind/values'
import type { Constraint } from '@hivemind/workflow'
import {
  type FunctionClient,
  type FunctionEndpoint,
  type FunctionHandlers,
  NotContinued,
} from './functions/client.ts'
import { HandOvers } from './functions/hand-over.ts'
import type { FunctionHosting } from './functions/hosting.ts'
import type { FleetHub } from './hub.ts'
import { KeptValues } from './kept-values.ts'
import { leavingOf } from './leaving.ts'
import type { Trial, TriedCall } from './trial.ts'
import type { DeviceSpec, RunOptions } from './types.ts'
import { ConstraintMeter } from './verdicts.ts'

/** Takes what happens to devices. A message is acknowledged when the promise resolves, at once when there is none. */
export type FleetHandler = (event: FleetEvent) => Promise<void> | undefined

/** What a run needs of a deployment. */
export interface Endpoints {
  hub: FleetHub
  plan: Plan
  /** Id of the deployment, as devices know it. */
  deployment: string
  devices: DeviceSpec[]
  constraints: readonly Constraint[]
  /** Id of a device at the hub. */
  deviceId(name: string): string
  /** Where functions are, and what calls them. */
  functions: Pick<FunctionHosting, 'endpoint' | 'concurrency' | 'wake'>
  /** Name of the function of a task that serves a device, by the device's number from 0. */
  functionFor(task: PlanTask, device: number): string
  /** Number of edge nodes; absent when no task is on one. */
  edgeNodes?: number | undefined
  client: FunctionClient
  /** New functions that take a share of the calls, at the moment. */
  trial(): Trial | undefined
  /** Tells what happens to devices, and at once which are away. */
  onFleet(handler: FleetHandler): () => void
  /** Aborts when the deployment ends. */
  signal: AbortSignal
}

/** Wall clock, ms since 1970 with fraction, that does not jump. */
export const now = (): number => performance.timeOrigin + performance.now()

export async function runOn(endpoints: Endpoints, options: RunOptions): Promise<RunResult> {
  const { hub, devices } = endpoints
  const plan = options.from?.part.plan ?? endpoints.plan
  const recorded = new Set(options.from?.part.recorded)
  const run = options.run ?? `run-${randomUUID().slice(0, 8)}`
  const fold = new RunFold()
  const spans: Span[] = []
  const calledNext = calledAfter(plan)
  const follow = followingIn(plan, recorded)
  // The constraints are about the whole workflow.
  const meter = new ConstraintMeter(plan, options.from ? [] : endpoints.constraints, devices)
  const kept = new KeptValues(hub.data, run)
  const handOvers = new HandOvers(now)
  const inputs: Record<string, ValueRef> = {}
  for (const [name, value] of Object.entries(options.inputs ?? {}))
    if (value !== null && value !== undefined)
      inputs[name] = await referTo(hub.data, passingPoolOf(run), `inputs/${name}`, encodeValue(value))
  const onEvent: NonNullable<RunOptions['onEvent']> = (event) => {
    if (leaving.isLeft) return
    // What was recorded did not happen here.
    if (event.type === 'span' && recorded.has(event.span.task)) return
    if (event.type === 'task' && recorded.has(event.task.task)) return
    fold.apply(event)
    meter.take(event)
    if (event.type === 'span' && options.keepSpans) spans.push(event.span)
    options.onEvent?.(event)
  }
  for await (const event of options.resume?.reported ?? []) meter.take(event)
  if (options.resume) meter.interrupted()
  const leaving = leavingOf(options.leave, [endpoints.signal, ...(options.signal ? [options.signal] : [])])
  const calling = { ...endpoints, calledNext, follow, handOvers, outer: options.traceparent }
  const running = resumeRun(
    plan,
    {
      now,
      after: (ms, action) => {
        const timer = setTimeout(action, ms)
        return () => clearTimeout(timer)
      },
      invoke: async (work, onItem, signal) =>
        options.from && recorded.has(work.task.name)
          ? giveRecorded(work, options.from.values, onItem, now)
          : invoke(calling, run, work, onItem, signal as AbortSignal, onEvent),
      send: async (device, message) => {
        if (leaving.isLeft) return
        meter.received(device, message)
        // A device that restarts rejects what it did not take; it is told anew when it is back.
        await hub.agents.send(endpoints.deviceId(device), message).catch(() => {})
      },
      onFleet: (handler) =>
        endpoints.onFleet((event) => {
          if (event.type === 'message') {
            if (event.message.run === run) meter.sent(event.device, event.message)
            tellItem(endpoints, event.device, event.message, options)
          }
          // Its work goes to others. If it still lives, it hears this before anything else when it is back.
          if (event.type === 'lost' && !event.returns)
            hub.agents.send(endpoints.deviceId(event.device), { t: 'stop', run }).catch(() => {})
          const waits = [handler(event)]
          if (event.type === 'message' && event.message.run === run)
            waits.push(options.whenRoom?.(), kept.whenRoom())
          return waits.some((wait) => wait !== undefined) ? Promise.all(waits).then(() => {}) : undefined
        }),
      toServiceTime: (device, at) =>
        hub.agents.channel.toServiceTime(endpoints.deviceId(device), at) ?? now(),
      preview: (ref) => preview(ref),
      persist: (key, value) => kept.add(key, value),
      newAbort: () => {
        const controller = new AbortController()
        return { signal: controller.signal, abort: () => controller.abort() }
      },
    },
    {
      run,
      deployment: endpoints.deployment,
      devices,
      inputs,
      slotsPerFunction: endpoints.functions.concurrency,
      ...(endpoints.edgeNodes !== undefined && { edgeNodes: endpoints.edgeNodes }),
      ...(options.itemsPerDevice === undefined ? {} : { itemsPerDevice: options.itemsPerDevice }),
      ...(options.traceparent !== undefined && { traceparent: options.traceparent }),
      signal: leaving.cancel,
      onEvent,
      journal: (event) => {
        if (!leaving.isLeft) options.journal?.(event)
      },
    },
    options.resume?.journal ?? [],
  )
  const outcome = await Promise.race([running, leaving.left]).finally(() => handOvers.close())
  await hub.data.drop(passingPoolOf(run))
  await kept.flush()
  const constraints = meter.verdicts(outcome)
  fold.end({ ...outcome, ...(constraints.length > 0 && { constraints }) })
  const { logs: _, devices: __, outputCount: ___, ...summary } = fold.run()
  return { ...summary, spans }
}

/** What people see of a value that is not carried along: where it is, and how large. */
function preview(ref: ValueRef): unknown {
  if (ref.kind === 'inline') return previewOf(ref)
  return { $stored: { type: ref.type, bytes: ref.size } }
}

function tellItem(endpoints: Endpoints, host: string, message: Up, { onItem }: RunOptions): void {
  if (!onItem || message.t !== 'item') return
  const at = endpoints.hub.agents.channel.toServiceTime(endpoints.deviceId(host), message.at)
  if (at !== null) onItem({ key: { task: message.task, device: message.lane, seq: message.seq }, sentAt: at })
}

/** What the calls of a run have in common. */
interface Calling extends Endpoints {
  calledNext: CalledNext
  /** The tasks that a container goes on with behind a task. */
  follow: (task: PlanTask) => readonly PlanTask[]
  handOvers: HandOvers
  /** W3C `traceparent` of the request that started the run. */
  outer: string | undefined
}

async function invoke(
  { hub, plan, functions, functionFor, client, trial, calledNext, follow, handOvers, outer }: Calling,
  run: string,
  work: CloudWork,
  onItem: Parameters<Parameters<typeof resumeRun>[1]['invoke']>[1],
  signal: AbortSignal,
  onEvent: NonNullable<RunOptions['onEvent']>,
): Promise<CloudResult> {
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
  const inputs: Record<string, TaskInput> = {}
  for (const [name, input] of Object.entries(work.inputs)) inputs[name] = await resolve(hub, input)
  const going = handOvers.take(work)
  const from = going?.handedAt ?? now()
  const generates = task.kindIn === 'object' && task.kindOut === 'stream'
  // From a checkpoint the code goes on; without one it begins anew, and what was emitted before is passed over.
  const resumes = generates && work.state !== null && task.restore === 'checkpoint'
  const skip = generates && !resumes ? work.firstItem : 0
  let emitted = false
  const name = functionFor(task, work.deviceIndex)
  // State goes from call to call of one version.
  const tried = task.stateKey === undefined && !going ? trial()?.take(name) : undefined
  // what an earlier try has emitted may be on its way already
  const next = (tried || work.attempt > 1 ? [] : follow(task)).map((each) => ({
    task: each.name,
    after: each.inContainerOf ?? '',
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
  const call = (endpoint: () => Promise<FunctionEndpoint>) => {
    chain = next.length > 0 ? handOvers.begin(work, next) : undefined
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
  for (const child of calledNext.get(task.name) ?? []) functions.wake?.(functionFor(child, work.deviceIndex))
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
  const management = waitMs + startMs + waitedMs
  const worked = management + executionMs + pacedMs
  // a container goes on with an item before that has come here
  const total = going ? Math.max(endedAt - from, worked) : endedAt - from
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
    bytesIn: stats.bytesIn,
    bytesOut: stats.bytesOut,
    items: Math.max(0, stats.items - skip),
    ...(state && { state }),
  }
}

/** The tasks of a run that containers go on with, by the task they are behind. */
function followingIn(plan: Plan, recorded: ReadonlySet<string>): Calling['follow'] {
  const following = new Map(
    plan.tasks.map(({ name }) => [name, followersOf(plan, name).filter((task) => !recorded.has(task.name))]),
  )
  return ({ name }) => following.get(name) ?? []
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

/** The values of an input: what is carried along, or what the data port keeps. */
async function resolve(hub: FleetHub, input: TaskInputRef): Promise<TaskInput> {
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
