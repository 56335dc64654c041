/** A run over the endpoints of a deployment: functions by HTTP, devices by the hub's channel. */
import { randomUUID } from 'node:crypto'
import type { Up } from '@hivemind/agent-protocol'
import {
  type FleetEvent,
  giveRecorded,
  type RecordedValues,
  RunFold,
  type RunResult,
  resumeRun,
  type Span,
} from '@hivemind/orchestrator'
import { type Plan, passingPoolOf } from '@hivemind/synthesis'
import { encodeValue, previewOf, referTo, type ValueRef } from '@hivemind/values'
import type { Constraint } from '@hivemind/workflow'
import { type CallEndpoints, FunctionCalls, now } from './calling.ts'
import type { FunctionHosting } from './functions/hosting.ts'
import type { FleetHub } from './hub.ts'
import { KeptValues } from './kept-values.ts'
import { leavingOf } from './leaving.ts'
import type { DeviceSpec, RunOptions } from './types.ts'
import { ConstraintMeter } from './verdicts.ts'

/** Takes what happens to devices. A message is acknowledged when the promise resolves, at once when there is none. */
export type FleetHandler = (event: FleetEvent) => Promise<void> | undefined

/** What a run needs of a deployment. */
export interface Endpoints extends CallEndpoints {
  hub: FleetHub
  plan: Plan
  /** Id of the deployment, as devices know it. */
  deployment: string
  devices: DeviceSpec[]
  constraints: readonly Constraint[]
  /** Id of a device at the hub. */
  deviceId(name: string): string
  functions: Pick<FunctionHosting, 'endpoint' | 'concurrency' | 'wake'>
  /** Number of edge nodes; absent when no task is on one. */
  edgeNodes?: number | undefined
  /** Tells what happens to devices, and at once which are away. */
  onFleet(handler: FleetHandler): () => void
  /** Aborts when the deployment ends. */
  signal: AbortSignal
}

export async function runOn(endpoints: Endpoints, options: RunOptions): Promise<RunResult> {
  const { hub, devices } = endpoints
  const plan = options.from?.part.plan ?? endpoints.plan
  const recorded = new Set(options.from?.part.recorded)
  const run = options.run ?? `run-${randomUUID().slice(0, 8)}`
  const fold = new RunFold()
  const spans: Span[] = []
  // The constraints are about the whole workflow.
  const meter = new ConstraintMeter(plan, options.from ? [] : endpoints.constraints, devices)
  const kept = new KeptValues(hub.data, run)
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
  const endUse = hub.runPools.begin({
    run,
    devices: new Set(devices.map(({ name }) => endpoints.deviceId(name))),
    reads: new Set(options.from ? poolsOf(options.from.values) : []),
  })
  const { traceparent } = options
  const calls = new FunctionCalls(endpoints, { run, plan, recorded, traceparent, onEvent })
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
          : calls.invoke(work, onItem, signal as AbortSignal),
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
  const outcome = await Promise.race([running, leaving.left]).finally(() => {
    calls.close()
    if (!leaving.isLeft) endUse()
  })
  await hub.data.drop(passingPoolOf(run))
  await kept.flush()
  const constraints = meter.verdicts(outcome)
  fold.end({ ...outcome, ...(constraints.length > 0 && { constraints }) })
  const { logs: _, devices: __, outputCount: ___, ...summary } = fold.run()
  return { ...summary, spans }
}

/** Where values are that are not carried along. */
const poolsOf = (values: RecordedValues): string[] =>
  Object.values(values)
    .flatMap((lanes) => Object.values(lanes).flat())
    .flatMap((ref) => (ref.kind === 'stored' ? [ref.pool] : []))

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
