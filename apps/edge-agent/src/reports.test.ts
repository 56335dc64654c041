import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { LogLine, Up } from '@hivemind/agent-protocol'
import { afterAll, expect, test } from 'vitest'
import { succeedFormer } from './former.ts'
import { LogForwarder } from './logs.ts'
import { Meter } from './telemetry.ts'

const dir = mkdtempSync(path.join(tmpdir(), 'hivemind-agent-'))
afterAll(() => rmSync(dir, { recursive: true, force: true }))

const line = (text: string): LogLine => ({ at: 1, level: 'info', source: 't', text })

test('log lines go together by run, at a bounded rate, and what is dropped is counted', async () => {
  const sent: Up[] = []
  const logs = new LogForwarder(
    async (message) => void sent.push(message),
    () => 5_000,
  )
  logs.linesPerSecond = 3
  for (const text of ['a', 'b', 'c'.repeat(6_000), 'd', 'e']) logs.add('r1', line(text))
  await logs.flush()
  const lines = sent.flatMap((message) =>
    message.t === 'log' ? message.lines.map(({ text }) => [message.run, text]) : [],
  )
  expect(lines.slice(0, 2)).toEqual([
    ['r1', 'a'],
    ['r1', 'b'],
  ])
  expect(lines[2]?.[1]?.length).toBe(5_004)
  expect(lines[3]).toEqual(['', '2 log lines were dropped: there are more than can be sent.'])
  expect(lines.length).toBe(4)
})

test('while the service does not take them, lines are kept up to a bound', async () => {
  const releases: (() => void)[] = []
  const release = (): void => {
    for (const each of releases.splice(0)) each()
  }
  const sent: Up[] = []
  const logs = new LogForwarder(
    (message) => {
      sent.push(message)
      return new Promise((resolve) => releases.push(resolve))
    },
    () => 5_000,
  )
  logs.linesPerSecond = 100_000
  logs.add('r', line('first'))
  const flushing = logs.flush()
  for (let index = 0; index < 2_000; index += 1) logs.add('r', line(String(index)))
  release()
  await flushing
  const second = logs.flush()
  release()
  await second
  const counts = sent.map((message) =>
    message.t === 'log' && message.run === 'r' ? message.lines.length : 0,
  )
  expect(counts[0]).toBe(1)
  expect(counts[1]).toBeLessThanOrEqual(1_000)
  expect(JSON.stringify(sent)).toContain('log lines were dropped')
})

test('a simulated battery is drained by time and by work, and its charge outlives the agent', async () => {
  let now = 0
  const options = {
    ...{ broker: '', fleet: '', device: '', class: '', token: '', dir, bound: false },
    battery: { capacityWh: 10, idleW: 3, coreW: 6 },
  }
  const meter = new Meter(options, () => now)
  expect((await meter.sample(1.5)).batteryWh).toBe(10)
  now = 3_600_000
  meter.worked(1_800_000)
  const sample = await meter.sample(undefined)
  expect(sample.batteryWh).toBeCloseTo(4)
  expect(sample.capacityWh).toBe(10)
  expect(sample.memoryMB).toBeGreaterThan(0)
  const later = new Meter(options, () => now)
  expect((await later.sample(undefined)).batteryWh).toBeCloseTo(4)
  now *= 10
  expect((await later.sample(undefined)).batteryWh).toBe(0)
})

test.runIf(process.platform === 'linux')(
  'what a former agent of the folder left is ended, and nothing else',
  async () => {
    const sleep = (cwd: string) => {
      const child = spawn('sleep', ['60'], { cwd, detached: true, stdio: 'ignore' })
      const ended = new Promise<string | null>((resolve) =>
        child.once('exit', (_, signal) => resolve(signal)),
      )
      return { child, ended }
    }
    const left = sleep(dir)
    const other = sleep(tmpdir())
    try {
      writeFileSync(path.join(dir, 'agent.json'), JSON.stringify({ group: left.child.pid }))
      succeedFormer(dir)
      expect(await left.ended).toBe('SIGKILL')
      writeFileSync(path.join(dir, 'agent.json'), JSON.stringify({ group: other.child.pid }))
      succeedFormer(dir)
      await new Promise((resolve) => setTimeout(resolve, 100))
      expect(other.child.signalCode).toBeNull()
    } finally {
      left.child.kill('SIGKILL')
      other.child.kill('SIGKILL')
    }
  },
)
