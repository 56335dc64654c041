import { describe, expect, test } from 'vitest'
import { MAX_OUTPUTS, RunFold } from './fold.ts'
import { MAX_LOG_LENGTH, MAX_LOG_LINES, MAX_SOURCE_LINES, RunLog } from './run-log.ts'
import { QuantileSketch } from './sketch.ts'
import { SpanStatistics } from './statistics.ts'
import type { RunEvent, Span } from './types.ts'

const span = (seq: number, ms: number, more: Partial<Span> = {}): Span => ({
  task: 'detect',
  device: 'device-1',
  seq,
  tier: 'edge',
  worker: 'w',
  queuedAt: 0,
  startedAt: 0,
  endedAt: ms,
  breakdown: { network: 0, management: 0, dataExchange: 0, execution: ms },
  bytesIn: 1,
  bytesOut: 2,
  items: 1,
  status: 'ok',
  attempt: 1,
  ...more,
})
const device = (state: 'lost' | 'respawned' | 'up', at: number): RunEvent => ({
  type: 'device',
  at,
  device: 'device-1',
  state,
  message: `device-1 ${state}.`,
})
const line = (at: number): RunEvent => ({
  type: 'log',
  at,
  line: { at, level: 'info', source: 'run', text: `line ${at}` },
})
const output = (seq: number): RunEvent => ({
  type: 'output',
  at: seq,
  output: { task: 'detect', data: 'd', device: '*', seq, value: seq },
})

describe('the fold of a run', () => {
  test('a device that is lost is a loss until it is back', () => {
    const fold = new RunFold()
    fold.apply(device('lost', 1))
    expect(fold.run().losses).toEqual(['device-1 lost.'])
    fold.apply(device('respawned', 2))
    expect(fold.run().losses).toEqual([])
    expect(fold.run().devices).toHaveLength(2)
  })

  test('what the run says at its end holds, whatever events come after', () => {
    const fold = new RunFold()
    fold.apply({ type: 'state', at: 5, state: 'running' })
    const constraints = [{ key: 'execTime', limit: 1, value: 2, met: false, text: '1 ms too long.' }]
    fold.end({ state: 'failed', message: 'No.', startedAt: 5, endedAt: 9, losses: ['x'], constraints })
    fold.apply({ type: 'state', at: 20, state: 'running' })
    fold.apply(device('lost', 21))
    expect(fold.run()).toMatchObject({
      state: 'failed',
      message: 'No.',
      endedAt: 9,
      losses: ['x'],
      constraints,
    })
  })

  test('of a run that goes on after a restart the outputs are those told since', () => {
    const fold = new RunFold()
    for (const event of [line(1), output(0), output(1), { type: 'resumed', at: 5 } as const, output(0)])
      fold.apply(event)
    expect(fold.run()).toMatchObject({ outputCount: 1, outputs: [{ seq: 0 }], logs: [{ text: 'line 1' }] })
  })

  test('goes on from what another fold gave as if it had heard everything', () => {
    const events: RunEvent[] = [
      { type: 'state', at: 1, state: 'running' },
      device('lost', 2),
      output(0),
      line(3),
      device('respawned', 4),
      output(1),
      { type: 'state', at: 6, state: 'succeeded', message: 'Done.' },
    ]
    const whole = new RunFold()
    for (const event of events) whole.apply(event)
    for (let cut = 0; cut <= events.length; cut++) {
      const first = new RunFold()
      for (const event of events.slice(0, cut)) first.apply(event)
      const second = RunFold.from(JSON.parse(JSON.stringify(first.run())))
      for (const event of events.slice(cut)) second.apply(event)
      expect(second.run()).toEqual(whole.run())
    }
  })

  test('keeps the first log lines and the newest outputs, and counts all outputs', () => {
    const fold = new RunFold()
    for (let at = 1; at <= MAX_LOG_LINES + 10; at++)
      expect(fold.apply(line(at)) === null).toBe(at > MAX_LOG_LINES + 1)
    for (let seq = 0; seq < 3 * MAX_OUTPUTS; seq++) fold.apply(output(seq))
    const { logs, outputs, outputCount } = fold.run()
    expect(logs).toHaveLength(MAX_LOG_LINES + 1)
    expect(logs.at(-1)?.text).toContain('left out')
    expect(outputCount).toBe(3 * MAX_OUTPUTS)
    expect(outputs).toHaveLength(MAX_OUTPUTS)
    expect(outputs.at(-1)?.seq).toBe(3 * MAX_OUTPUTS - 1)
  })
})

describe('statistics of spans', () => {
  test('failed invocations are counted but not timed', () => {
    const statistics = new SpanStatistics()
    for (const each of [span(0, 10), span(1, 30), span(2, 9_999, { status: 'failed', error: 'x' })])
      statistics.add(each)
    expect(statistics.tasks()).toMatchObject([
      {
        task: 'detect',
        invocations: 3,
        failed: 1,
        p50Ms: 20,
        p99Ms: 29.8,
        bytesOut: 6,
        breakdown: { execution: 20 },
      },
    ])
  })

  test('invocations that waited for their function to start are told apart', () => {
    const statistics = new SpanStatistics()
    for (const each of [span(0, 900, { coldStartMs: 880 }), span(1, 10), span(2, 30)]) statistics.add(each)
    statistics.add(span(3, 9_999, { coldStartMs: 9_990, status: 'failed', error: 'x' }))
    const [task] = statistics.tasks()
    expect(task).toMatchObject({ invocations: 4, p50Ms: 30 })
    expect(task?.starts).toEqual({
      cold: 1,
      coldP50Ms: 900,
      coldP99Ms: 900,
      warm: 2,
      warmP50Ms: 20,
      warmP99Ms: 29.8,
    })
    const warm = new SpanStatistics()
    warm.add(span(0, 10))
    expect(warm.tasks()[0]).not.toHaveProperty('starts')
  })

  test('a task that never succeeded has no times', () => {
    const statistics = new SpanStatistics()
    statistics.add(span(0, 10, { status: 'failed', missedDeadline: true }))
    expect(statistics.tasks()).toMatchObject([
      { failed: 1, missed: 1, p50Ms: 0, breakdown: { execution: 0 } },
    ])
  })
})

describe('the sketch of quantiles', () => {
  const shares = [0, 0.01, 0.5, 0.9, 0.99, 0.999, 1]

  test('is exact for few values', () => {
    const sketch = new QuantileSketch()
    for (let value = 100; value >= 0; value--) sketch.add(value)
    expect(sketch.quantiles([0, 0.25, 0.5, 1])).toEqual([0, 25, 50, 100])
  })

  test('is within half a percent for many, over nine orders of magnitude', () => {
    const sketch = new QuantileSketch()
    const values = Array.from(
      { length: 200_000 },
      (_, n) => 10 ** ((((n * 7_919) % 200_000) / 200_000) * 9 - 3),
    )
    for (const value of values) sketch.add(value)
    const sorted = values.toSorted((a, b) => a - b)
    for (const [index, value] of sketch.quantiles(shares).entries()) {
      const exact = sorted[Math.floor((shares[index] ?? 0) * (sorted.length - 1))] ?? 0
      expect(Math.abs(value / exact - 1)).toBeLessThan(0.006)
    }
    expect(sketch.count).toBe(200_000)
  })

  test('has none without values', () => {
    expect(new QuantileSketch().quantiles([0.5])).toEqual([Number.NaN])
  })
})

describe('the log of a run', () => {
  const line = (text: string, source = 'run') => ({ at: 1, level: 'info' as const, source, text })

  test('keeps so much text, and says what a long line lost', () => {
    const log = new RunLog()
    for (let n = 0; n < 20; n++) log.add(line('x'.repeat(1_000_000)))
    expect(log.lines[0]?.text).toMatch(/^x{5000} \[995,000 characters cut\]$/)
    expect(log.lines).toHaveLength(20)
    const many = new RunLog()
    let kept = 0
    for (let n = 0; n < MAX_LOG_LINES; n++) kept += many.add(line('y'.repeat(5_000)))?.text.length ?? 0
    expect(kept).toBeLessThan(MAX_LOG_LENGTH + 6_000)
    expect(many.lines.at(-1)?.text).toBe(
      'A run keeps its first 4,000,000 characters; what follows is left out.',
    )
  })

  test('leaves room for the others beside a task that logs too much', () => {
    const log = new RunLog()
    for (let n = 0; n < 2 * MAX_LOG_LINES; n++) log.add(line(String(n), 'chatty'))
    expect(log.lines).toHaveLength(MAX_SOURCE_LINES + 1)
    expect(log.lines.at(-1)).toMatchObject({ source: 'chatty', text: expect.stringContaining('left out') })
    expect(log.add(line('still heard', 'quiet'))).toMatchObject({ text: 'still heard' })
  })

  test('goes on where it was', () => {
    for (const source of ['run', 'chatty']) {
      const log = new RunLog()
      for (let n = 0; n < MAX_LOG_LINES + 10; n++) log.add(line(String(n), source))
      const again = RunLog.from(log.lines)
      expect(again.lines).toEqual(log.lines)
      expect(again.add(line('more', source))).toBeNull()
    }
  })
})
