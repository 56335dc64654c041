/** A real run as one trace: at a collector, as a download, and for the code of tasks. */
import { localTarget } from '@hivemind/deploy'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { traceSettings } from '../src/traces/trace-settings.ts'
import { until } from './support/client.ts'
import { configFor, newFolder, removeFolder, type Started, start } from './support/service.ts'
import { canDecode, decodeSpans, type ReadSpan, TraceReceiver } from './support/trace-receiver.ts'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const CALLER = '00f067aa0ba902b7'
/** Each task says where in the trace it is. */
const CODE = {
  'tasks/read-sensor.mjs': `export function* run(inputs, args, context) {
  for (let n = 0; n < context.maxItems; n++) yield { n, sensor: context.traceparent }
}
`,
  'tasks/judge.py': `def run(inputs, args, context):
    return {**inputs['reading'], 'judge': context.traceparent}
`,
  'tasks/summary.mjs': `export function run(inputs, args, context) {
  return { verdicts: inputs.verdict.map(({ device, seq, value }) => ({ device, seq, ...value })), summary: context.traceparent }
}
`,
}

const dataDir = newFolder()
let receiver: TraceReceiver
let started: Started
let deployment = ''

beforeAll(async () => {
  receiver = await TraceReceiver.start()
  const traces = traceSettings({
    OTEL_EXPORTER_OTLP_ENDPOINT: `${receiver.url}/`,
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20of-the-lab',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment=lab',
  })
  started = await start(configFor(dataDir, { traces }), localTarget())
  const { client } = started
  const { id: project } = await client.ok('createProject', {
    body: { name: 'Hello', example: 'hello-swarm' },
  })
  const { text } = await client.ok('getVersion', { path: { project, version: 1 } })
  for (const [path, code] of Object.entries(CODE))
    await client.ok('putFile', { path: { project }, query: { path }, body: { text: code } })
  await client.ok('saveVersion', { path: { project }, body: { base: 1, text, layout: { nodes: {} } } })
  const placement = { readSensor: 'edge', judge: 'edge', summary: 'cloud' }
  const made = await client.ok('createDeployment', {
    path: { project },
    body: { version: 2, placement, agents: 2 },
  })
  deployment = made.id
  await until(async () => (await client.ok('getDeployment', { path: { deployment } })).state === 'ready')
}, 240_000)
afterAll(async () => {
  await started?.service.close()
  await receiver?.close()
  removeFolder(dataDir)
})

test('one trace has every tier of a run, and the code of each task is in it', {
  timeout: 240_000,
}, async (context) => {
  if (!canDecode) return context.skip('opentelemetry-proto is not installed: npm test does that')
  const { client } = started
  const { id: run } = await client.ok('startRun', {
    path: { deployment },
    body: { itemsPerDevice: 3 },
    headers: { traceparent: `00-${TRACE}-${CALLER}-01` },
  })
  const ended = await until(async () => {
    const now = await client.ok('getRun', { path: { run } })
    return now.endedAt !== undefined && now
  })
  expect(ended.state).toBe('succeeded')
  await until(async () => receiver.bodies.length > 0)
  const report = ended.result.outputs[0].value
  const told: string[] = [
    report.summary,
    ...report.verdicts.flatMap(({ sensor, judge }: Record<string, string>) => [sensor, judge]),
  ]
  const read = decodeSpans(receiver.bodies, [report.summary])
  const spans = read.filter(({ name }) => name !== 'own')
  expect(receiver.paths[0]).toBe('POST /v1/traces')
  expect(receiver.headers[0]).toMatchObject({
    authorization: 'Bearer of-the-lab',
    'content-type': 'application/json',
  })

  // One tree, below the caller.
  expect(new Set(spans.map(({ trace }) => trace))).toEqual(new Set([TRACE]))
  const byId = new Map(spans.map((span) => [span.id, span]))
  expect(byId.size).toBe(spans.length)
  const roots = spans.filter(({ parent }) => !byId.has(parent))
  expect(roots.map(({ parent, name }) => [parent, name])).toEqual([[CALLER, 'run hello-swarm']])
  expect(roots[0]?.attributes['hivemind.run']).toBe(run)

  // Every tier, and what was where.
  const places = new Set(
    spans.map(
      ({ name, resource }) => `${name}: ${resource['service.name']} ${resource['hivemind.device'] ?? ''}`,
    ),
  )
  expect([...places].sort()).toEqual([
    'judge execution: hivemind-device device-1',
    'judge execution: hivemind-device device-2',
    'judge send: hivemind-device device-1',
    'judge send: hivemind-device device-2',
    'judge: hivemind-device device-1',
    'judge: hivemind-device device-2',
    'readSensor execution: hivemind-device device-1',
    'readSensor execution: hivemind-device device-2',
    'readSensor: hivemind-device device-1',
    'readSensor: hivemind-device device-2',
    'run hello-swarm: hivemind ',
    'summary execution: hivemind-function ',
    'summary: hivemind-dispatcher ',
  ])
  for (const { resource } of spans) expect(resource['deployment.environment']).toBe('lab')
  expect(spans.find(({ name }) => name === 'summary execution')?.resource).toMatchObject({
    'hivemind.tier': 'cloud',
    'faas.name': 'summary',
    'service.instance.id': expect.stringMatching(/^summary/),
  })

  // As many as there were invocations, each below the one it waited for.
  const named = (name: string) => spans.filter((span) => span.name === name)
  expect([named('readSensor').length, named('judge').length, named('summary').length]).toEqual([2, 6, 1])
  const parentOf = (span: ReadSpan) => byId.get(span.parent)?.name
  expect(new Set(named('readSensor').map(parentOf))).toEqual(new Set(['run hello-swarm']))
  expect(new Set(named('judge').map(parentOf))).toEqual(new Set(['readSensor']))
  expect(new Set(named('summary').map(parentOf))).toEqual(new Set(['judge']))
  for (const span of spans) expect(span.end).toBeGreaterThanOrEqual(span.start)

  // What the code of each task was told is the span of its execution.
  const executions = spans.filter(({ name }) => name.endsWith(' execution'))
  expect(new Set(told)).toEqual(new Set(executions.map(({ id }) => `00-${TRACE}-${id}-01`)))
  const own = read.at(-1)
  expect([own?.name, own?.trace, byId.get(own?.parent ?? '')?.name]).toEqual([
    'own',
    TRACE,
    'summary execution',
  ])

  // The download is the same.
  const { body, headers } = await client.call('runTrace', { path: { run } })
  expect(headers.get('content-disposition')).toBe(`attachment; filename="run-${run.slice(0, 8)}-trace.json"`)
  expect(new Set(decodeSpans([JSON.stringify(body)]).map(({ id }) => id))).toEqual(new Set(byId.keys()))
  const metrics = await (await fetch(`${client.url}api/metrics`)).text()
  expect(metrics).toContain(`hivemind_trace_spans_total{result="exported"} ${spans.length}\n`)
})

test('a caller that does not record its trace gets none, and its run has one to download', async () => {
  const { client } = started
  const before = receiver.paths.length
  const { id: run } = await client.ok('startRun', {
    path: { deployment },
    body: { itemsPerDevice: 1 },
    headers: { traceparent: `00-${TRACE}-${CALLER}-00` },
  })
  const { id: plain } = await client.ok('startRun', {
    path: { deployment },
    body: { itemsPerDevice: 1 },
    headers: { traceparent: 'nonsense' },
  })
  await until(async () => receiver.bodies.some((body) => body.includes(plain)))
  await until(async () => (await client.ok('getRun', { path: { run } })).endedAt !== undefined)
  expect(receiver.bodies.some((body) => body.includes(run))).toBe(false)
  expect(receiver.paths.length).toBe(before + 1)
  const { body } = await client.call('runTrace', { path: { run } })
  expect(JSON.stringify(body)).toContain(TRACE)
}, 120_000)
