/** What becomes of spans while a collector takes them, refuses them, or is away. */
import type { ResourceSpan } from '@hivemind/orchestrator'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { configFor, newFolder, removeFolder } from '../../test/support/service.ts'
import { TraceReceiver } from '../../test/support/trace-receiver.ts'
import { log } from '../common/log.ts'
import { MAX_WAITING_SPANS, SpanExporter } from './span-exporter.ts'
import { traceSettings } from './trace-settings.ts'

const dataDir = newFolder()
let receiver: TraceReceiver
const exporters: SpanExporter[] = []

beforeEach(async () => {
  receiver = await TraceReceiver.start()
})
afterEach(async () => {
  vi.restoreAllMocks()
  await Promise.all(exporters.splice(0).map((each) => each.stop()))
  await receiver.close()
  removeFolder(dataDir)
})

function exporterTo(url: string | undefined): SpanExporter {
  const exporter = new SpanExporter(
    configFor(dataDir, { traces: traceSettings({ OTEL_EXPORTER_OTLP_ENDPOINT: url }) }),
  )
  exporters.push(exporter)
  return exporter
}

const spans = (count: number): ResourceSpan[] =>
  Array.from({ length: count }, (_, at) => ({
    resource: { 'service.name': 'hivemind' },
    span: {
      ...{ traceId: '1'.repeat(32), spanId: String(at).padStart(16, '0'), name: 'work', kind: 1 },
      ...{ startTimeUnixNano: '1', endTimeUnixNano: '2', attributes: [] },
    },
  }))

const settled = (exporter: SpanExporter) =>
  vi.waitFor(() => expect(exporter.waiting).toBe(0), { timeout: 20_000, interval: 20 })

test('nothing is kept where there is no collector', () => {
  const exporter = exporterTo(undefined)
  exporter.add(spans(3))
  expect([exporter.enabled, exporter.waiting]).toEqual([false, 0])
})

test('a collector that is away for a while gets everything later, and the log has a line for each change', async () => {
  const warn = vi.spyOn(log, 'warn')
  const info = vi.spyOn(log, 'info')
  const { url } = receiver
  await receiver.close()
  const exporter = exporterTo(url)
  exporter.add(spans(2))
  exporter.add(spans(3))
  await vi.waitFor(() => expect(warn).toHaveBeenCalled(), 10_000)
  expect(exporter.waiting).toBe(5)
  receiver = await TraceReceiver.start(Number(new URL(url).port))
  receiver.answer = (response) => response.writeHead(503, { 'retry-after': '1' }).end()
  await vi.waitFor(() => expect(receiver.paths.length).toBeGreaterThan(0), 20_000)
  receiver.answer = undefined
  await settled(exporter)
  expect(exporter.counts).toEqual({ exported: 5, rejected: 0, dropped: 0 })
  expect(receiver.bodies.map((body) => body.match(/"name":"work"/g)?.length)).toEqual([2, 3])
  expect(warn.mock.calls.map(([text]) => text)).toEqual([
    expect.stringMatching(/^Traces do not reach http:\S+\/v1\/traces: .*ECONNREFUSED/),
  ])
  expect(info.mock.calls.map(([text]) => text)).toEqual([expect.stringMatching(/ again\.$/)])
})

test('what is refused for good is not sent again', async () => {
  const warn = vi.spyOn(log, 'warn')
  receiver.answer = (response) => response.writeHead(401).end()
  const exporter = exporterTo(receiver.url)
  exporter.add(spans(4))
  exporter.add(spans(4))
  await settled(exporter)
  expect(exporter.counts).toEqual({ exported: 0, rejected: 8, dropped: 0 })
  expect(warn).toHaveBeenCalledTimes(1)
  expect(String(warn.mock.calls[0]?.[0])).toContain('it answers 401')
  receiver.answer = (response) => response.writeHead(200).end('{"partialSuccess":{"rejectedSpans":"3"}}')
  exporter.add(spans(4))
  await settled(exporter)
  expect(exporter.counts).toEqual({ exported: 1, rejected: 11, dropped: 0 })
})

test('the queue is bounded: the oldest spans go first', async () => {
  receiver.answer = (response) => response.writeHead(503, { 'retry-after': '2' }).end()
  const exporter = exporterTo(receiver.url)
  const batch = spans(500)
  const batches = MAX_WAITING_SPANS / 500
  for (let at = 0; at < batches + 3; at++) exporter.add(batch)
  expect(exporter.waiting).toBeLessThanOrEqual(MAX_WAITING_SPANS)
  expect(exporter.counts.dropped).toBe(1_500)
  receiver.answer = undefined
  await settled(exporter)
  expect(exporter.counts.exported + exporter.counts.dropped).toBe((batches + 3) * 500)
})

test('a service that stops does not wait for a collector', async () => {
  receiver.answer = () => {}
  const exporter = exporterTo(receiver.url)
  exporter.add(spans(7))
  await vi.waitFor(() => expect(receiver.paths).toHaveLength(1))
  await exporter.stop()
  expect([exporter.waiting, exporter.counts.dropped]).toEqual([0, 7])
})

test('settings that cannot be are refused by name', () => {
  expect(() => traceSettings({ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' })).toThrow(
    /^OTEL_EXPORTER_OTLP_ENDPOINT is 'collector:4318': give the URL/,
  )
  expect(() => traceSettings({ OTEL_EXPORTER_OTLP_HEADERS: 'secret' })).toThrow(
    /^OTEL_EXPORTER_OTLP_HEADERS cannot be read/,
  )
  expect(traceSettings({ OTEL_EXPORTER_OTLP_ENDPOINT: 'https://c.example/otlp/' }).url).toBe(
    'https://c.example/otlp/v1/traces',
  )
})
