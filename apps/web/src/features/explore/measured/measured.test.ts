import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import type { Candidate, DeploymentComparison, DeploymentRecord, RunRecord } from '../../../api/types.ts'
import { csvOf } from '../charts/plotData.ts'
import { comparisonData, deviationsOf, deviationText, measuredDeployments, pointsOf } from './comparison.ts'
import { DiagonalPlot } from './DiagonalPlot.tsx'

const figure = (simulatedMs: number, measuredMs: number) => ({
  simulatedMs,
  measuredMs,
  deviation: measuredMs > 0 ? simulatedMs / measuredMs - 1 : null,
})
const comparison: DeploymentComparison = {
  deployment: 'd',
  profile: 'deployed',
  runs: ['r1'],
  callsFrom: [],
  rows: [
    { task: 'judge', tier: 'cloud', samples: 8, p50: figure(11, 10), p99: figure(20, 40) },
    { task: null, tier: null, samples: 8, p50: figure(30, 30), p99: figure(9, 0) },
  ],
  run: figure(900, 1000),
}

test('every figure is a point and a line of the file, with its deviation', () => {
  const points = pointsOf(comparison)
  expect(points.map(({ name, figure: { deviation } }) => [name, deviationText(deviation)])).toEqual([
    ['judge, p50', '+10%'],
    ['judge, p99', '÷2'],
    ['end to end, p50', '±0%'],
    ['end to end, p99', '–'],
    ['whole run', '−10%'],
  ])
  expect([2, -0.9, -1, 0.004].map(deviationText)).toEqual(['×3', '÷10', '−100%', '±0%'])
  const sizes = deviationsOf(points)
  expect(sizes?.mean).toBeCloseTo((0.1 + 0.5 + 0 + 0.1) / 4, 9)
  expect(sizes?.median).toBeCloseTo(0.1, 9)
  expect(deviationsOf([])).toBeUndefined()
  expect(csvOf(comparisonData(comparison)).split('\r\n').slice(0, 3)).toEqual([
    'task,figure,estimatedMs,measuredMs,deviation',
    `judge,p50,11,10,${11 / 10 - 1}`,
    'judge,p99,20,40,-0.5',
  ])
})

test('the plot shows what can be drawn: equal figures on the diagonal, longer estimates above it', () => {
  const picture = renderToStaticMarkup(
    createElement(DiagonalPlot, { points: pointsOf(comparison), width: 400 }),
  )
  expect(picture).toContain('3 of 4 figures within 20%')
  // Room for the axes is not square, so compare positions along each.
  const at = (name: string) => {
    const [, x, y] = new RegExp(`translate\\(([\\d.]+) ([\\d.]+)\\)"><title>${name}`).exec(picture) ?? []
    return [(Number(x) - 70) / (400 - 16 - 70), (300 - 42 - Number(y)) / (300 - 42 - 14)] as const
  }
  const [onX, onY] = at('end to end, p50')
  expect(onY).toBeCloseTo(onX, 9)
  const [longX, longY] = at('judge, p50')
  expect(longY).toBeGreaterThan(longX)
  const [shortX, shortY] = at('judge, p99')
  expect(shortY).toBeLessThan(shortX)
})

test('runs that succeeded, by placement; the newest first, another version left out', () => {
  const placement = { sense: 'edge', judge: 'cloud' } as const
  const deployment = (id: string, version: number, more: object = {}) =>
    ({ id, request: { version, placement, agents: 2, ...more } }) as unknown as DeploymentRecord
  const run = (id: string, of: string, createdAt: string, state = 'succeeded') =>
    ({ id, deployment: of, createdAt, state }) as RunRecord
  const candidates = [{ id: 'ab', placement: { judge: 'cloud', sense: 'edge' } }] as unknown as Candidate[]
  const tried = measuredDeployments(
    [
      deployment('old', 1),
      deployment('new', 1, { placement: { sense: 'edge', judge: 'edge' }, candidate: 'cd' }),
      deployment('never', 1),
      deployment('other', 2),
    ],
    [
      run('1', 'old', '2026-01-01T00:00:00Z'),
      run('2', 'old', '2026-01-03T00:00:00Z'),
      run('3', 'new', '2026-01-04T00:00:00Z'),
      run('4', 'old', '2026-01-05T00:00:00Z', 'failed'),
      run('5', 'other', '2026-01-06T00:00:00Z'),
    ],
    candidates,
    1,
  )
  expect(tried.map((each) => [each.deployment.id, each.candidate, each.runs.map(({ id }) => id)])).toEqual([
    ['new', 'cd', ['3']],
    ['old', 'ab', ['2', '1']],
  ])
})
