import type { SpanRecord } from '@hivemind/agent-protocol'

/** The span of a try that has begun: `queuedAt` is a time of the device's clock, in ms. */
export function newSpan(worker: string, queuedAt: number, attempt: number): SpanRecord {
  return {
    worker,
    attempt,
    queuedAt,
    startedAt: queuedAt,
    endedAt: queuedAt,
    network: 0,
    management: 0,
    dataExchange: 0,
    execution: 0,
    bytesIn: 0,
    bytesOut: 0,
    items: 0,
    ok: true,
  }
}
