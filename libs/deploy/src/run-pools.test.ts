import { passingPoolOf } from '@hivemind/synthesis'
import { expect, test } from 'vitest'
import { RunPools } from './run-pools.ts'

const use = { run: 'r1', devices: new Set(['d1', 'd2']), reads: new Set(['r0']) }

test('the devices of a run read and write its values, and read what it takes from another run', () => {
  const pools = new RunPools()
  pools.begin(use)
  for (const pool of ['r1', passingPoolOf('r1')])
    for (const access of ['read', 'write'] as const)
      expect(pools.permission('d2', pool, access)).toBe('granted')
  expect(pools.permission('d1', 'r0', 'read')).toBe('granted')
  expect(pools.permission('d1', 'r0', 'write')).not.toBe('granted')
})

test('no other device uses them, and none drops any', () => {
  const pools = new RunPools()
  pools.begin(use)
  pools.begin({ run: 'r2', devices: new Set(['d3']), reads: new Set() })
  for (const access of ['read', 'write'] as const)
    expect(pools.permission('d3', 'r1', access)).toBe('refused')
  expect(pools.permission('d3', 'r0', 'read')).not.toBe('granted')
  expect(pools.permission('d1', 'r1', 'drop')).toBe('refused')
})

test('a run that is not known may be one of before for a while after the start, and then is none', () => {
  expect(new RunPools().permission('d1', 'r1', 'write')).toBe('unknown')
  expect(new RunPools(0).permission('d1', 'r1', 'write')).toBe('refused')
})

test('a run that has ended is for nobody', () => {
  const pools = new RunPools(0)
  const end = pools.begin(use)
  end()
  expect(pools.permission('d1', 'r1', 'write')).toBe('refused')
  expect(pools.permission('d1', 'r0', 'read')).toBe('refused')
})
