import { check } from '@hivemind/dsl'
import { describe, expect, test } from 'vitest'
import type { Span } from '../types.ts'
import { exportRequest, type OtlpSpan } from './otlp.ts'
import { keyValueList, traceResource } from './resource.ts'
import { MAX_LINKS, runTrace, type TracedRun } from './run-trace.ts'

const text = `TaskGraph(list=['watch', 'see', 'plan'])
Data(frame, kind='stream', rate='10/s')
Task(watch, None, frame, 'watch.mjs', childTask=['see'])
Task(see, frame, found, 'see.mjs', parentTask=['watch'], childTask=['plan'])
Task(plan, found, orders, 'plan.mjs', parentTask=['see'])
Synchronize(plan, 'all')
`
const { workflow } = check(text, { fileExists: () => true })
if (!workflow) throw new Error('The workflow does not parse.')

const span = (
  task: string,
  device: string,
  seq: number,
  from: number,
  to: number,
  more?: Partial<Span>,
): Span => ({
  ...{
    task,
    device,
    seq,
    tier: task === 'plan' ? 'cloud' : 'edge',
    worker: task === 'plan' ? 'plan-1' : device,
  },
  ...{ queuedAt: from, startedAt: from + 1, endedAt: to },
  breakdown: { network: 0, management: 1, dataExchange: 1, execution: 4 },
  ...{ bytesIn: 0, bytesOut: 0, items: 1, status: 'ok', attempt: 1 },
  ...more,
})
const network = { network: 3, management: 1, dataExchange: 1, execution: 4 }
const spans = [
  span('watch', 'a', 0, 1_000, 1_100, { items: 2 }),
  span('watch', 'b', 0, 1_000, 1_090, { items: 1 }),
  span('see', 'a', 0, 1_010, 1_030, { breakdown: network }),
  span('see', 'a', 1, 1_050, 1_070, { status: 'failed', error: 'no such thing' }),
  span('see', 'a', 1, 1_071, 1_120, { attempt: 2 }),
  span('see', 'b', 0, 1_010, 1_040, { missedDeadline: true, coldStartMs: 12 }),
  span('plan', '*', 0, 1_121, 1_140),
]
const run: TracedRun = {
  ...{
    id: 'run-1',
    workflow,
    name: 'watchers',
    createdAt: 990,
    startedAt: 995,
    endedAt: 1_150,
    state: 'succeeded',
  },
  losses: ['Device b was given up.'],
  devices: [{ at: 1_060, device: 'b', state: 'lost', message: 'It is gone.' }],
}
const resource = traceResource({ OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment=lab' })
const traceOf = (more: Partial<TracedRun> = {}, of: readonly Span[] = spans) => [
  ...runTrace({ ...run, ...more }, of, resource),
]

type Values = Record<string, unknown>
const valuesOf = (attributes: OtlpSpan['attributes']): Values =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))
/** The span of this name whose attributes have these values. */
const find = (name: string, wanted: Values = {}, all = traceOf()) => {
  const found = all.find(
    ({ span: each }) =>
      each.name === name &&
      Object.entries(wanted).every(([key, value]) => valuesOf(each.attributes)[key] === value),
  )
  if (!found) throw new Error(`There is no span ${name}.`)
  return found
}
const see = (seq: string, attempt = '1', device = 'a', part = 'see') =>
  find(part, { 'hivemind.item.seq': seq, 'hivemind.attempt': attempt, 'hivemind.item.device': device }).span

describe('the trace of a run', () => {
  test('is one tree whose root is the run', () => {
    const all = traceOf().map(({ span: each }) => each)
    const ids = new Set(all.map(({ spanId }) => spanId))
    expect(ids.size).toBe(all.length)
    expect(new Set(all.map(({ traceId }) => traceId)).size).toBe(1)
    expect(all.filter(({ parentSpanId }) => parentSpanId === undefined).map(({ name }) => name)).toEqual([
      'run watchers',
    ])
    for (const { parentSpanId } of all) expect(parentSpanId === undefined || ids.has(parentSpanId)).toBe(true)
    for (const { startTimeUnixNano, endTimeUnixNano } of all)
      expect(BigInt(endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(startTimeUnixNano))
  })

  test('follows the items: the parent is the input that came last, the others are linked', () => {
    const plan = find('plan').span
    // The second try of item 1 on device a was the last to end.
    expect(plan.parentSpanId).toBe(see('1', '2').spanId)
    expect(plan.links?.map(({ spanId }) => spanId)).toEqual([see('0').spanId, see('0', '1', 'b').spanId])
    expect(see('0').parentSpanId).toBe(find('watch', { 'hivemind.item.device': 'a' }).span.spanId)
    expect(find('watch').span.parentSpanId).toBe(find('run watchers').span.spanId)
  })

  test('names tier, device and container of each part', () => {
    expect(find('run watchers').resource).toEqual({
      ...{ 'deployment.environment': 'lab', 'service.name': 'hivemind', 'hivemind.component': 'service' },
    })
    expect(find('plan').resource).toMatchObject({ 'service.name': 'hivemind-dispatcher' })
    expect(find('plan execution').resource).toMatchObject({
      ...{ 'service.name': 'hivemind-function', 'hivemind.tier': 'cloud' },
      ...{ 'service.instance.id': 'plan-1', 'faas.name': 'plan' },
    })
    expect(find('see execution').resource).toMatchObject({
      ...{ 'service.name': 'hivemind-device', 'hivemind.tier': 'edge', 'hivemind.device': 'a' },
    })
  })

  test('says what failed, and what happened to devices', () => {
    const failed = see('1')
    expect(failed.status).toEqual({ code: 2, message: 'no such thing' })
    expect(failed.events).toMatchObject([{ name: 'exception', timeUnixNano: '1070000000' }])
    expect(see('1', '1', 'a', 'see execution').status?.code).toBe(2)
    expect(see('0').status).toBeUndefined()
    expect(see('0', '1', 'b').events).toMatchObject([{ name: 'deadline missed' }])
    expect(valuesOf(see('0', '1', 'b').attributes)).toMatchObject({
      'faas.coldstart': true,
      'hivemind.cold_start_ms': '12',
    })
    expect(valuesOf(see('0').attributes)).not.toHaveProperty(['faas.coldstart'])
    const root = find('run watchers').span
    expect(root.events?.map(({ name }) => name)).toEqual(['started', 'device lost', 'loss'])
    const why = find('run watchers', {}, traceOf({ state: 'failed', message: 'Everything is lost.' })).span
    expect(why.status).toEqual({ code: 2, message: 'Everything is lost.' })
  })

  test('has the code, and the way of its last item off the device, as parts of a try', () => {
    const part = (name: string) => see('0', '1', 'a', name)
    for (const name of ['see execution', 'see send']) expect(part(name).parentSpanId).toBe(see('0').spanId)
    expect([part('see execution').startTimeUnixNano, part('see execution').endTimeUnixNano]).toEqual([
      '1011000000',
      '1016000000',
    ])
    expect([part('see send').startTimeUnixNano, part('see send').endTimeUnixNano]).toEqual([
      '1027000000',
      '1030000000',
    ])
    expect(find('watch execution').span.endTimeUnixNano).toBe('1100000000')
    expect(() => see('0', '1', 'b', 'see send')).toThrow()
  })

  test('is part of the trace of the request that started it', () => {
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
    const all = traceOf({ traceparent })
    for (const { span: each } of all) expect(each.traceId).toBe('4bf92f3577b34da6a3ce929d0e0e4736')
    expect(all[0]?.span).toMatchObject({ parentSpanId: '00f067aa0ba902b7', kind: 2 })
  })

  test('is linked to the run whose values it goes on with', () => {
    const [earlier] = traceOf({ id: 'run-0' })
    const [later] = traceOf({ from: { run: 'run-0' } })
    expect(later?.span.links).toEqual([{ traceId: earlier?.span.traceId, spanId: earlier?.span.spanId }])
  })

  test('has a bounded number of links, and no try twice', () => {
    const many = Array.from({ length: 300 }, (_, seq) => span('see', 'a', seq, 1_000, 1_010 + seq))
    const plan = span('plan', '*', 0, 2_000, 2_010)
    const { links, droppedLinksCount } = find('plan', {}, traceOf({}, [...many, plan, plan])).span
    expect([links?.length, droppedLinksCount]).toEqual([MAX_LINKS, 299 - MAX_LINKS])
    expect(traceOf({}, [plan, plan])).toHaveLength(3)
  })
})

test('spans are grouped by what made them', () => {
  const { resourceSpans } = exportRequest(traceOf())
  expect(
    resourceSpans.map(({ resource: { attributes }, scopeSpans }) => [
      valuesOf(attributes)['service.name'],
      scopeSpans[0]?.spans.length,
    ]),
  ).toEqual([
    ['hivemind', 1],
    ['hivemind-device', 9],
    ['hivemind-device', 4],
    ['hivemind-dispatcher', 1],
    ['hivemind-function', 1],
  ])
})

test('the variables of OpenTelemetry name the service', () => {
  const given = 'service.name=swarm,team=lab%201'
  expect(traceResource({})).toEqual({ serviceName: 'hivemind', attributes: {} })
  expect(traceResource({ OTEL_RESOURCE_ATTRIBUTES: given })).toEqual({
    serviceName: 'swarm',
    attributes: { team: 'lab 1' },
  })
  expect(traceResource({ OTEL_RESOURCE_ATTRIBUTES: given, OTEL_SERVICE_NAME: 'mine' }).serviceName).toBe(
    'mine',
  )
  expect(keyValueList('X', ' a = 1 , b=2=3,')).toEqual({ a: '1', b: '2=3' })
  for (const wrong of ['a', '=1', 'a=%E0%A4'])
    expect(() => keyValueList('OTEL_RESOURCE_ATTRIBUTES', wrong)).toThrow(/^OTEL_RESOURCE_ATTRIBUTES cannot /)
})
