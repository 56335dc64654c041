/**
 * Ids of traces and spans. They follow from the run and the invocation, so that the service, a function and a device each know
 * them without asking. https://www.w3.org/TR/trace-context/
 */
import type { Span } from '../types.ts'
import { murmur128 } from './murmur.ts'

/** Where something belongs in a trace: what the header `traceparent` says. */
export interface TraceContext {
  /** 32 hexadecimal digits, in lower case. */
  traceId: string
  /** 16 hexadecimal digits, in lower case. */
  spanId: string
  /** Whether its spans are to be recorded. */
  sampled: boolean
}

/** One try of an invocation. */
export type TryKey = Pick<Span, 'task' | 'device' | 'seq' | 'attempt'>

const HEADER = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/
const ZEROS = /^0+$/

/** Reads a `traceparent`. `undefined` when it is none: whoever gets such a one begins a trace of its own. */
export function parseTraceparent(text: string | undefined): TraceContext | undefined {
  const [, version, traceId = '', spanId = '', flags = '', more] = HEADER.exec(text ?? '') ?? []
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined)) return undefined
  if (ZEROS.test(traceId) || ZEROS.test(spanId)) return undefined
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1 }
}

/** The header `traceparent` of a place in a trace. */
export const formatTraceparent = ({ traceId, spanId, sampled }: TraceContext): string =>
  `00-${traceId}-${spanId}-${sampled ? '01' : '00'}`

/**
 * The trace of a run, at the span of the run itself.
 * @param traceparent of the request that started the run: the run then belongs to the trace of that request
 */
export function runContext(run: string, traceparent?: string): TraceContext {
  const outer = parseTraceparent(traceparent)
  return {
    traceId: outer?.traceId ?? murmur128(`trace\n${run}`),
    spanId: spanIdOf(run, 'run'),
    sampled: outer?.sampled ?? true,
  }
}

/** Id of the span of a try, from ready to run to the hand-over of its results. */
export const invocationSpanId = (run: string, key: TryKey): string => spanIdOf(run, 'invocation', key)

/** Id of the span of the task's code within a try. */
export const executionSpanId = (run: string, key: TryKey): string => spanIdOf(run, 'execution', key)

/** Id of the span of the last item of a try on its way from a device to the service. */
export const sendingSpanId = (run: string, key: TryKey): string => spanIdOf(run, 'sending', key)

/** The `traceparent` that the code of a task is called with: at the span of its execution. */
export const executionTraceparent = (run: string, outer: string | undefined, key: TryKey): string =>
  formatTraceparent({ ...runContext(run, outer), spanId: executionSpanId(run, key) })

function spanIdOf(run: string, part: string, key?: TryKey): string {
  const { task, device, seq, attempt } = key ?? { task: '', device: '', seq: 0, attempt: 0 }
  return murmur128(`${part}\n${run}\n${task}\n${device}\n${seq}\n${attempt}`).slice(0, 16)
}
