/**
 * The messages of the OpenTelemetry protocol (OTLP) that carry spans, in its JSON encoding: ids in hexadecimal, times in ns as
 * text. https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding
 */

/** A value of an attribute. */
export type AttributeValue = string | number | boolean
/** Attributes by name; those without a value are left out. */
export type Attributes = Readonly<Record<string, AttributeValue | undefined>>

interface KeyValue {
  key: string
  value: { stringValue: string } | { boolValue: boolean } | { intValue: string } | { doubleValue: number }
}

/** Kinds of spans, by their numbers in the protocol. */
export const SPAN_KIND = { internal: 1, server: 2, client: 3, producer: 4 } as const
/** The code of a failure as a span's status. */
export const STATUS_ERROR = 2

/** A span as the protocol has it. */
export interface OtlpSpan {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind: (typeof SPAN_KIND)[keyof typeof SPAN_KIND]
  startTimeUnixNano: string
  endTimeUnixNano: string
  attributes: KeyValue[]
  events?: { timeUnixNano: string; name: string; attributes: KeyValue[] }[]
  links?: { traceId: string; spanId: string }[]
  droppedLinksCount?: number
  status?: { code: typeof STATUS_ERROR; message?: string }
}

/** A span with the attributes of what made it: the service, a function or a device. */
export interface ResourceSpan {
  resource: Attributes
  span: OtlpSpan
}

/** What a collector takes at `/v1/traces`. */
export interface ExportTraceRequest {
  resourceSpans: {
    resource: { attributes: KeyValue[] }
    scopeSpans: { scope: { name: string }; spans: OtlpSpan[] }[]
  }[]
}

/** The request that brings these spans, grouped by what made them. */
export function exportRequest(spans: Iterable<ResourceSpan>): ExportTraceRequest {
  const groups = new Map<string, { resource: Attributes; spans: OtlpSpan[] }>()
  for (const { resource, span } of spans) {
    const key = JSON.stringify(resource)
    const group = groups.get(key)
    if (group) group.spans.push(span)
    else groups.set(key, { resource, spans: [span] })
  }
  return {
    resourceSpans: [...groups.values()].map(({ resource, spans: all }) => ({
      resource: { attributes: keyValues(resource) },
      scopeSpans: [{ scope: { name: 'hivemind' }, spans: all }],
    })),
  }
}

/** Attributes as the protocol has them. */
export const keyValues = (attributes: Attributes): KeyValue[] =>
  Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: anyValue(value) }],
  )

function anyValue(value: AttributeValue): KeyValue['value'] {
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value === 'boolean') return { boolValue: value }
  return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value }
}

/** ms since 1970, with fraction, as ns: to the microsecond, finer than the clocks are. */
export const unixNano = (ms: number): string => `${Math.round(ms * 1000)}000`
