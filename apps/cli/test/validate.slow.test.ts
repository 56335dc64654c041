/** `hivemind validate` and `hivemind run --link`, really started. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { hivemind, killRunning, scratchProject } from './command.ts'

let project: string
let remove: () => Promise<void>

beforeEach(async () => {
  ;({ project, remove } = await scratchProject())
})
afterEach(async () => {
  killRunning()
  await remove()
})

interface Answer {
  link?: { mbps: number; delayMs: number; loss: number; shared: boolean }
  deviations: Record<'endToEndP99' | 'endToEndP50' | 'all' | 'median', number>
  placements: {
    name: string
    repetition: Record<'endToEndP99' | 'endToEndP50' | 'run', number>
    rows: {
      task: string | null
      samples: number
      p50: { simulatedMs: number; measuredMs: number; deviation: number }
      p99: { simulatedMs: number; measuredMs: number }
    }[]
  }[]
}

describe('hivemind validate', () => {
  it('compares every task and the way from end to end, over a shaped link', {
    timeout: 120_000,
  }, async () => {
    const args = ['--agents', '2', '--items', '5', '--runs', '1', '--placements', 'all-cloud,all-edge']
    const { code, stdout, stderr } = await hivemind(
      'validate',
      project,
      ...args,
      '--link',
      '20mbit,25ms',
      '--json',
    )
    expect(stderr).not.toMatch(/^\s+at /m)
    expect(code).toBe(0)
    const { link, placements, deviations } = JSON.parse(stdout) as Answer
    expect(link).toEqual({ mbps: 20, delayMs: 25, loss: 0, shared: true })
    expect(placements.map(({ name }) => name)).toEqual(['all-cloud', 'all-edge'])
    for (const { name, rows, repetition } of placements) {
      for (const share of Object.values(repetition)) expect(share).toBeGreaterThan(-1)
      expect(rows.map(({ task }) => task)).toEqual(['readSensor', 'judge', 'summary', null])
      const [, judge, , whole] = rows
      expect(judge?.samples).toBe(10)
      expect(whole?.p50.measuredMs).toBe(judge?.p50.measuredMs)
      // a reading crosses the link before it is judged in the cloud
      if (name === 'all-cloud')
        for (const side of [judge?.p50.measuredMs, judge?.p50.simulatedMs])
          expect(side).toBeGreaterThanOrEqual(24.5)
      for (const { p50, p99 } of rows) {
        expect(p99.measuredMs).toBeGreaterThanOrEqual(p50.measuredMs)
        expect(p50.deviation).toBeCloseTo(p50.simulatedMs / p50.measuredMs - 1)
      }
    }
    expect(deviations.all).toBeGreaterThanOrEqual(0)
  })

  it('prints a table, and takes a profile', { timeout: 120_000 }, async () => {
    const { code, stdout, stderr } = await hivemind(
      'validate',
      project,
      ...['--items', '3', '--runs', '1', '--placements', 'all-edge', '--profile', `${project}/profile.json`],
    )
    expect(code).toBe(0)
    expect(stdout).toMatch(/^PLACEMENT +TASK +TIER +P50 SIM ms/)
    expect(stdout).toMatch(/all-edge +end to end/)
    expect(stdout).toMatch(/Mean deviation: end to end p99 [\d.]+%/)
    expect(stderr).not.toMatch(/for the profile/)
    expect(stderr).toMatch(/load average/)
  })

  it('refuses nonsense as usage, and a broken workflow as the workflow’s', { timeout: 60_000 }, async () => {
    const link = await hivemind('validate', project, '--link', 'fast')
    expect(link.code).toBe(2)
    expect(link.stderr).toMatch(/'fast' is neither a rate, a delay nor a loss: write it as/)
    const run = await hivemind('run', project, '--link', '2ms')
    expect(run.code).toBe(2)
    expect(run.stderr).toMatch(/names no rate/)
    const placement = await hivemind('validate', project, '--placements', 'all-fog')
    expect(placement.code).toBe(2)
    expect(placement.stderr).toMatch(/'all-fog' is none of all-cloud, all-edge, least-energy/)
    expect((await hivemind('validate', '/nowhere')).code).toBe(2)
  })
})

describe('hivemind run --link', () => {
  const spansOver = async (link: string) => {
    const args = ['--placement', 'all-cloud', '--items', '3', '--quiet', '--json', '--link', link]
    const { code, stdout } = await hivemind('run', project, ...args)
    expect(code).toBe(0)
    const { state, spans } = JSON.parse(stdout) as {
      state: string
      spans: { task: string; breakdown: { network: number } }[]
    }
    expect(state).toBe('succeeded')
    return spans.filter(({ task }) => task === 'readSensor')
  }

  it('gives the same answer over a link that loses packets', { timeout: 120_000 }, async () => {
    expect((await spansOver('10mbit,30ms,1%')).length).toBeGreaterThan(0)
  })

  it('shows the way of the last item: the delay, by a clock that is known to within a part of the round trip', {
    timeout: 120_000,
  }, async () => {
    const spans = await spansOver('10mbit,30ms')
    expect(spans.length).toBeGreaterThan(0)
    for (const { breakdown } of spans) expect(breakdown.network).toBeGreaterThan(15)
  })
})
