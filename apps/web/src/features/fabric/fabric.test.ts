import { expect, test } from 'vitest'
import type { FabricBuild, FabricRegisters, JobRecord } from '../../api/types.ts'
import {
  type Engine,
  fieldsOf,
  jobTitle,
  marginOf,
  parameterProblem,
  parametersOf,
  settingProblem,
  settingsOf,
  signedBy,
  testsOf,
  usedResources,
} from './fabric.ts'

const sources = {
  engine: 'distil',
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

test('a fabric has the parameters of its engines; the memory of the shell goes with rmem', () => {
  const schema = ['shell', 'distil', 'rmem'].map((engine) => ({ ...sources, engine }))
  const engines = (...chosen: Engine[]) => parametersOf(schema, chosen).map(({ engine }) => engine)
  expect(engines('distil')).toEqual(['distil'])
  expect(engines('distil', 'rmem')).toEqual(['shell', 'distil', 'rmem'])
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

test('a build says whether the tests of its sources passed', () => {
  expect(testsOf({} as FabricBuild)).toContain('have not passed')
  const counts = { simulations: 202, proofs: 34, plantedBugs: 54 }
  const verdict = { suite: 'quick', passedAt: '2026-01-02T03:04:05.000Z', ...counts } as const
  expect(testsOf({ verdict } as FabricBuild)).toBe(
    'The quick tests of its sources passed on 2026-01-02: 202 simulations, 34 proofs; 54 planted bugs were caught.',
  )
})

test('a build says who signed it', () => {
  expect(signedBy({} as FabricBuild)).toBe('It is not signed.')
  expect(signedBy({ signedBy: 'ab'.repeat(32) } as FabricBuild)).toBe('Signed by the key abababababababab.')
})

test('a job says what it does', () => {
  const job = (kind: string, request: object) => ({ kind, request }) as JobRecord
  expect(jobTitle(job('fabric', {}))).toBe('Build')
  expect(jobTitle(job('fabric-board', { build: 'aabbccddee' }))).toBe('Start a board with aabbccdd')
  expect(jobTitle(job('fabric-board', { build: 'aabbccddee', board: 'board-2' }))).toBe(
    'Load aabbccdd on board-2',
  )
})

const window = { name: 'window', value: 1, max: 65535, isSoft: true, doc: 'readings of one summary' }
const frames = { name: 'frames', value: 7, max: 2 ** 32 - 1, isSoft: false, doc: 'counts' }

test('soft settings are apart from counters, which have the text of their register', () => {
  const registers = [
    { engine: 'distil', name: 'WINDOW', address: 4, doc: 'the window', fields: [window] },
    { engine: 'distil', name: 'FRAMES', address: 8, doc: 'frames that were decided', fields: [frames] },
  ]
  expect(fieldsOf({ registers, changes: [] } satisfies FabricRegisters)).toEqual({
    soft: [{ ...window, engine: 'distil' }],
    read: [{ ...frames, engine: 'distil', doc: 'frames that were decided' }],
  })
})

test.each([
  ['', undefined],
  ['65535', undefined],
  ['65536', 'It must be a whole number from 0 to 65,535.'],
  ['-1', 'It must be a whole number from 0 to 65,535.'],
  ['1.5', 'It must be a whole number from 0 to 65,535.'],
])('the text %j of a soft setting: %s', (text, problem) => {
  expect(settingProblem({ ...window, engine: 'distil' }, text)).toBe(problem)
})
