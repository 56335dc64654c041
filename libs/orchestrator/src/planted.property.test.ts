/**
 * The invariants earn trust by what they find: three planted faults, each found within the 200 seeds that
 * `world.property.test.ts` finds in order without them.
 */
import { afterEach, expect, test, vi } from 'vitest'
import { problemsOf } from '../test/invariants.ts'
import { expectedOf } from '../test/oracle.ts'
import { barrierOffByOne, wrongAcknowledgement } from '../test/planted.ts'
import { rng } from '../test/random-plan.ts'
import { MAX_ITEMS, runCase, worldCase } from '../test/seeds.ts'
import type { WorldOptions } from '../test/world.ts'
import { instanceOf, targetOf } from './core/context.ts'
import { emit } from './core/flow.ts'
import { hasSeq } from './core/seq-set.ts'

const planted = vi.hoisted(() => ({ countsTwice: false }))

/** With `countsTwice`, the core emits an item that comes again after a retry once more. */
vi.mock('./core/items.ts', async (original) => {
  const actual = await original<typeof import('./core/items.ts')>()
  const itemArrived: typeof actual.itemArrived = (step, event) => {
    const instance = targetOf(step, event.task, event.device)
    const isRepeated = instance >= 0 && hasSeq(instanceOf(step, instance).emitted, event.seq)
    actual.itemArrived(step, event)
    if (planted.countsTwice && isRepeated) emit(step, instance, event.seq, event.ref)
  }
  return { ...actual, itemArrived }
})

afterEach(() => {
  planted.countsTwice = false
})

const SEEDS = 200

/** First seed whose run breaks an invariant; `undefined` when none of 200 does. */
async function found(
  optionsOf: (seed: number) => WorldOptions,
): Promise<{ seed: number; problems: string[] } | undefined> {
  for (let seed = 1; seed <= SEEDS; seed++) {
    const own = worldCase(seed)
    const expected = expectedOf(own.plan, own.devices, own.behaviour, MAX_ITEMS)
    const result = await runCase(own, { limitMs: 60_000, ...optionsOf(seed) })
    const problems = problemsOf(own.plan, expected, result)
    if (problems.length > 0) return { seed, problems }
  }
  return undefined
}

const long = { timeout: 300_000 }

test('a lost acknowledgement is found', long, async () => {
  const fault = await found((seed) => ({ tamper: wrongAcknowledgement(rng(seed)) }))
  expect(fault?.problems.join('\n')).toMatch(/did not end|is missing|was called with/)
})

test('a barrier that is off by one is found', long, async () => {
  const fault = await found(() => ({ wrap: barrierOffByOne }))
  expect(fault?.problems.join('\n')).toMatch(/was called with|opened with/)
})

test('a retry that counts twice is found', long, async () => {
  planted.countsTwice = true
  const fault = await found(() => ({}))
  expect(fault?.problems.join('\n')).toMatch(/came twice/)
})
