/**
 * A run as one trace: the run itself, and for each try of an invocation its way through the dispatcher or device, its code, and
 * its result's way over the network. What was measured is all there is: nothing is recorded for the trace alone.
 */
import type { Workflow } from '@hivemind/workflow'
import { ItemPaths } from '../item-path.ts'
import type { DeviceEvent, RunState, Span } from '../types.ts'
import {
  executionSpanId,
  invocationSpanId,
  parseTraceparent,
  runContext,
  sendingSpanId,
  type TraceContext,
} from './ids.ts'
import {
  type Attributes,
  keyValues,
  type OtlpSpan,
  type ResourceSpan,
  SPAN_KIND,
  STATUS_ERROR,
  unixNano,
} from './otlp.ts'
import type { TraceResource } from './resource.ts'

/** A run that has ended, or as it is so far. Times in ms since 1970. */
export interface TracedRun {
  id: string
  workflow: Workflow
  /** Name of the workflow. */
  name: string
  /** `traceparent` of the request that started it. */
  traceparent?: string | undefined
  /** The run that it goes on from. */
  from?: { run: string; traceparent?: string | undefined } | undefined
  createdAt: number
  startedAt: number
  endedAt: number
  state: RunState
  message?: string | undefined
  losses: readonly string[]
  devices: readonly DeviceEvent[]
  /** More about it: ids, version. */
  attributes?: Attributes
}

/** Most other inputs that an invocation is linked to; behind a barrier there may be thousands. */
export const MAX_LINKS = 128
/** Worker of a span whose function gave no answer. */
const NO_WORKER = 'cloud'

/** The spans of a run's trace, the run first; those of a try that is reported twice once. */
export function* runTrace(
  run: TracedRun,
  spans: readonly Span[],
  resource: TraceResource,
): Generator<ResourceSpan> {
  const context = runContext(run.id, run.traceparent)
  yield { resource: componentOf(resource, 'service'), span: runSpan(run, context) }
  const paths = new ItemPaths(run.workflow, spans)
  const seen = new Set<string>()
  for (const span of spans) {
    const id = invocationSpanId(run.id, span)
    if (seen.has(id)) continue
    seen.add(id)
    yield* tryTrace(run.id, context, paths, span, resource)
  }
}

function runSpan(run: TracedRun, { traceId, spanId }: TraceContext): OtlpSpan {
  const { id, name, createdAt, startedAt, endedAt, state, message, losses, devices, from } = run
  const outer = parseTraceparent(run.traceparent)
  const end = Math.max(createdAt, startedAt, endedAt)
  const earlier = from && runContext(from.run, from.traceparent)
  const failed = state === 'failed'
  return {
    traceId,
    spanId,
    ...(outer && { parentSpanId: outer.spanId }),
    name: `run ${name}`,
    kind: outer ? SPAN_KIND.server : SPAN_KIND.internal,
    startTimeUnixNano: unixNano(createdAt),
    endTimeUnixNano: unixNano(end),
    attributes: keyValues({
      'hivemind.run': id,
      'hivemind.workflow': name,
      'hivemind.run.state': state,
      ...run.attributes,
    }),
    events: [
      ...(startedAt > 0 ? [event(startedAt, 'started')] : []),
      ...devices.map(({ at, device, state: now, message: text }) =>
        event(at, `device ${now}`, { 'hivemind.device': device, message: text }),
      ),
      ...losses.map((loss) => event(end, 'loss', { message: loss })),
      ...(failed ? [event(end, 'exception', { 'exception.message': message ?? 'The run failed.' })] : []),
    ],
    ...(earlier && { links: [{ traceId: earlier.traceId, spanId: earlier.spanId }] }),
    ...statusOf(failed, message),
  }
}

/** The spans of one try: where it was dispatched, its code, and the way of its last item off the device. */
function* tryTrace(
  run: string,
  context: TraceContext,
  paths: ItemPaths,
  span: Span,
  resource: TraceResource,
): Generator<ResourceSpan> {
  const { task, tier, worker, queuedAt, startedAt, endedAt, breakdown, status, error } = span
  const { traceId } = context
  const onDevice = tier === 'edge'
  const here: Attributes = onDevice
    ? componentOf(resource, 'device', {
        'hivemind.tier': tier,
        'hivemind.device': worker,
        'service.instance.id': worker,
      })
    : componentOf(resource, 'dispatcher')
  const place: Attributes = onDevice
    ? here
    : componentOf(resource, 'function', {
        'hivemind.tier': tier,
        'faas.name': task,
        'service.instance.id': worker === NO_WORKER ? undefined : worker,
      })
  const failed = status === 'failed'
  const invocation = invocationSpanId(run, span)
  const parents = parentsOf(run, context, paths, span)
  const leftAt = Math.max(startedAt, endedAt - breakdown.network)
  yield {
    resource: here,
    span: {
      traceId,
      spanId: invocation,
      ...parents,
      name: task,
      kind: onDevice ? SPAN_KIND.internal : SPAN_KIND.client,
      startTimeUnixNano: unixNano(Math.min(queuedAt, startedAt)),
      endTimeUnixNano: unixNano(endedAt),
      attributes: keyValues({ ...attributesOf(span), ...partsOf(span), ...coldStartOf(span) }),
      events: [
        ...(failed ? [event(endedAt, 'exception', { 'exception.message': error ?? 'It failed.' })] : []),
        ...(span.missedDeadline ? [event(endedAt, 'deadline missed')] : []),
      ],
      ...statusOf(failed, error),
    },
  }
  yield {
    resource: place,
    span: {
      traceId,
      spanId: executionSpanId(run, span),
      parentSpanId: invocation,
      name: `${task} execution`,
      kind: onDevice ? SPAN_KIND.internal : SPAN_KIND.server,
      startTimeUnixNano: unixNano(startedAt),
      endTimeUnixNano: unixNano(executionEnd(span, leftAt)),
      attributes: keyValues(attributesOf(span)),
      ...statusOf(failed, error),
    },
  }
  if (!onDevice || breakdown.network <= 0) return
  yield {
    resource: here,
    span: {
      traceId,
      spanId: sendingSpanId(run, span),
      parentSpanId: invocation,
      name: `${task} send`,
      kind: SPAN_KIND.producer,
      startTimeUnixNano: unixNano(leftAt),
      endTimeUnixNano: unixNano(endedAt),
      attributes: keyValues(attributesOf(span)),
    },
  }
}

/**
 * When the code of a try had ended: after its measured time; at the hand-over where it emitted a stream or failed, of which only
 * the end is known. On a device the hand-over to and from the code's process is part of it.
 */
function executionEnd({ tier, startedAt, items, status, breakdown }: Span, leftAt: number): number {
  if (status === 'failed' || items > 1) return leftAt
  const { execution, dataExchange } = breakdown
  return Math.min(leftAt, startedAt + execution + (tier === 'edge' ? dataExchange : 0))
}

/** The parent is the input that came last, for which the invocation waited; it is linked to the others. */
function parentsOf(
  run: string,
  { traceId, spanId }: TraceContext,
  paths: ItemPaths,
  span: Span,
): Pick<OtlpSpan, 'parentSpanId' | 'links' | 'droppedLinksCount'> {
  const inputs = paths.inputsOf(span)
  const [first, ...rest] = inputs
  if (!first) return { parentSpanId: spanId }
  const last = rest.reduce((latest, each) => (each.endedAt > latest.endedAt ? each : latest), first)
  const others = inputs.filter((each) => each !== last)
  const linked = others.slice(0, MAX_LINKS)
  return {
    parentSpanId: invocationSpanId(run, last),
    ...(linked.length > 0 && {
      links: linked.map((each) => ({ traceId, spanId: invocationSpanId(run, each) })),
    }),
    ...(others.length > linked.length && { droppedLinksCount: others.length - linked.length }),
  }
}

/** The attribute of the semantic conventions, and how long the start took. */
const coldStartOf = ({ coldStartMs }: Span): Attributes =>
  coldStartMs === undefined ? {} : { 'faas.coldstart': true, 'hivemind.cold_start_ms': coldStartMs }

const attributesOf = ({ task, device, seq, attempt, tier }: Span): Attributes => ({
  'hivemind.task': task,
  'hivemind.item.device': device,
  'hivemind.item.seq': seq,
  'hivemind.attempt': attempt,
  'hivemind.tier': tier,
})

const partsOf = ({ breakdown, bytesIn, bytesOut, items }: Span): Attributes => ({
  'hivemind.network_ms': breakdown.network,
  'hivemind.dispatch_ms': breakdown.management,
  'hivemind.data_exchange_ms': breakdown.dataExchange,
  'hivemind.execution_ms': breakdown.execution,
  'hivemind.bytes_in': bytesIn,
  'hivemind.bytes_out': bytesOut,
  'hivemind.items': items,
})

const event = (at: number, name: string, attributes: Attributes = {}) => ({
  timeUnixNano: unixNano(at),
  name,
  attributes: keyValues(attributes),
})

/** Without a failure the status is unset, as OpenTelemetry asks of those who did not judge the result. */
const statusOf = (failed: boolean, message?: string): Pick<OtlpSpan, 'status'> =>
  failed ? { status: { code: STATUS_ERROR, ...(message !== undefined && { message }) } } : {}

/** The attributes of a part of HiveMind: the service itself, or one that is named after it. */
const componentOf = (
  { serviceName, attributes }: TraceResource,
  component: 'service' | 'dispatcher' | 'function' | 'device',
  more: Attributes = {},
): Attributes => ({
  ...attributes,
  'service.name': component === 'service' ? serviceName : `${serviceName}-${component}`,
  'hivemind.component': component,
  ...more,
})
