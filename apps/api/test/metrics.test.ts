/** What Prometheus reads of the service, and what the dashboard for Grafana shows of it. */
import { readFileSync } from 'node:fs'
import type { Span } from '@hivemind/orchestrator'
import { afterEach, expect, test } from 'vitest'
import { until } from './support/client.ts'
import { configFor, newFolder, removeFolder, type Started, start } from './support/service.ts'

const dataDir = newFolder()
let started: Started | undefined

afterEach(async () => {
  await started?.service.close()
  removeFolder(dataDir)
})

const span = (seq: number, status: 'ok' | 'failed', tookMs: number): Span => ({
  task: 'judge',
  device: '*',
  seq,
  tier: 'cloud',
  worker: 'judge-1',
  queuedAt: 1_000,
  startedAt: 1_001,
  endedAt: 1_000 + tookMs,
  breakdown: { network: 1, management: 2, dataExchange: 3, execution: tookMs - 6 },
  bytesIn: 1,
  bytesOut: 1,
  items: 1,
  status,
  attempt: 1,
})

test('runs, tasks, deployments, jobs and requests are counted, and the dashboard shows nothing else', async () => {
  started = await start(configFor(dataDir))
  const { client, service, target } = started
  const read = async () => {
    const answer = await fetch(`${service.url}api/metrics`)
    expect(answer.headers.get('content-type')).toMatch(/^text\/plain; version=/)
    return answer.text()
  }
  const { id: project } = await client.ok('createProject', {
    body: { name: 'Hello', example: 'hello-swarm' },
  })
  const placement = { readSensor: 'edge', judge: 'cloud', summary: 'cloud' }
  const { id: deployment } = await client.ok('createDeployment', {
    path: { project },
    body: { version: 1, placement },
  })
  await until(async () => (await client.ok('getDeployment', { path: { deployment } })).state === 'ready')
  let go = (): void => {}
  const held = new Promise<void>((resolve) => {
    go = resolve
  })
  target.script.run = async (_, tell) => {
    tell({ type: 'span', at: 1, span: { ...span(0, 'ok', 20), coldStartMs: 15 } })
    tell({ type: 'span', at: 2, span: span(1, 'failed', 400) })
    await held
    return {}
  }
  const { id: run } = await client.ok('startRun', { path: { deployment }, body: {} })
  await until(async () => (await read()).includes('hivemind_task_seconds_count'))
  expect(await read()).toMatch(/^hivemind_runs\{state="\w+"\} 1$/m)
  go()
  await until(async () => (await client.ok('getRun', { path: { run } })).endedAt !== undefined)
  const text = await read()
  const of = `project="${project}",task="judge",tier="cloud"`
  for (const line of [
    `hivemind_runs_ended_total{project="${project}",state="succeeded"} 1`,
    `hivemind_run_seconds_count{project="${project}"} 1`,
    `hivemind_task_seconds_count{${of}} 2`,
    `hivemind_task_seconds_bucket{le="0.025",${of}} 1`,
    `hivemind_task_seconds_bucket{le="0.5",${of}} 2`,
    `hivemind_task_failures_total{${of}} 1`,
    `hivemind_cold_start_seconds_count{${of}} 1`,
    `hivemind_cold_start_seconds_sum{${of}} 0.015`,
    `hivemind_deployments{state="ready",target=""} 1`,
    `hivemind_http_request_seconds_count{method="POST",route="/api/projects",status="201"} 1`,
  ])
    expect(text).toContain(`${line}\n`)
  const network = new RegExp(`hivemind_task_part_seconds_total\\{${of},part="network"\\} (\\S+)`).exec(text)
  expect(Number(network?.[1])).toBeCloseTo(0.002)
  expect(text).not.toMatch(/^hivemind_runs\{/m)

  const dashboard = readFileSync(new URL('../../../infra/grafana/hivemind.json', import.meta.url), 'utf8')
  const shown = new Set(dashboard.match(/\b(hivemind|process|nodejs)_\w+/g))
  const known = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name = '']) => name)
  for (const name of shown) expect(known).toContain(name.replace(/_(bucket|count|sum)$/, ''))
  const ours = known.filter((name) => name.startsWith('hivemind_') && name !== 'hivemind_run_seconds')
  expect([...shown].map((name) => name.replace(/_(bucket|count|sum)$/, ''))).toEqual(
    expect.arrayContaining(ours),
  )
})
