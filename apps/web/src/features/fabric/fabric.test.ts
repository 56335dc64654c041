import { expect, test } from 'vitest'
import type { FabricBuild } from '../../api/types.ts'
import { marginOf, parameterProblem, settingsOf, usedResources } from './fabric.ts'

const sources = {
  name: 'sources',
  default: 64,
  values: [2, 4, 64],
  unit: '',
  limits: 'one of 2, 4, 64',
  doc: '',
}

test.each([
  ['', undefined],
  [' 4 ', undefined],
  ['3', 'It must be one of 2, 4, 64.'],
  ['4.0', 'It must be one of 2, 4, 64.'],
  ['-2', 'It must be one of 2, 4, 64.'],
])('the text %j of a parameter: %s', (text, problem) => {
  expect(parameterProblem(sources, text)).toBe(problem)
})

test('parameters without a text keep their defaults', () => {
  expect(settingsOf({ sources: ' 4', slots: '' })).toEqual({ sources: 4 })
})

test('the clock with the least margin decides, and unused resources are left out', () => {
  const build = {
    clocks: [
      { name: 'a', achievedMhz: 140, requiredMhz: 125 },
      { name: 'b', achievedMhz: 50, requiredMhz: 48 },
    ],
    utilisation: [
      { resource: 'COMB', used: 1, available: 100 },
      { resource: 'DCUA', used: 0, available: 2 },
      { resource: 'RAM', used: 18, available: 208 },
    ],
  } as FabricBuild
  expect(marginOf(build)).toMatchObject({ name: 'b' })
  expect(usedResources(build).map(({ resource }) => resource)).toEqual(['RAM', 'COMB'])
})
