/**
 * Random workflows in random worlds. Each failing seed prints the command that replays it alone, such as
 * `SEED=<n> npx vitest run libs/orchestrator/src/world.property.test.ts -t storm`. FROM and TO choose a range of seeds.
 */
import { expect, test } from 'vitest'
import { problemsOf } from '../test/invariants.ts'
import { expectedOf } from '../test/oracle.ts'
import { replayProblems } from '../test/replay.ts'
import { type Case, calmCase, MAX_ITEMS, planText, runCase, stormCase, worldCase } from '../test/seeds.ts'
import type { WorldResult } from '../test/world.ts'

const soak = process.env.HIVEMIND_SOAK === '1'
const { SEED, FROM = SEED ?? 1, TO = SEED } = process.env
/** Random plans in calm and in stormy worlds, worlds whose service restarts, and runs whose journal is replayed. */
const [CALM_RUNS, STORM_RUNS, WORLDS, REPLAYS] = soak
  ? [50_000, 50_000, 10_000, 1_000]
  : [1_000, 1_000, 200, 60]
const MAX_FAILURES = 20
/** Seeds that found a bug; each is run by every kind of world. */
const REGRESSIONS = [
  ...[
    1393, 1751, 4161, 4702, 5620, 5669, 6663, 7270, 9602, 18833, 23459, 25151, 26853, 27531, 30435, 33502,
    34771,
  ],
  37420,
]
const minutes = (count: number): { timeout: number } => ({ timeout: count * 60_000 })

/** Runs all seeds, and fails with what is wrong with the first of those that fail. */
async function seeds(count: number, check: Check): Promise<void> {
  const failures: string[] = []
  for (let seed = Number(FROM); seed <= Number(TO ?? count) && failures.length < MAX_FAILURES; seed++) {
    const failure = await check(seed)
    if (failure !== null) failures.push(failure)
  }
  expect(failures.join('\n\n')).toBe('')
}

/** `null` without problems; otherwise all that a stranger needs to see the same again. */
function failureOf(problems: string[], test: string, own: Case, result: WorldResult): string | null {
  if (problems.length === 0) return null
  const { seed, plan, devices, faults } = own
  return [
    `Seed ${seed}: ${result.outcome.state} ${result.outcome.message ?? ''}`,
    ...problems,
    `${planText(plan)}\non ${devices.length} devices, ${JSON.stringify(faults)}`,
    `Replay it: ${soak ? 'HIVEMIND_SOAK=1 ' : ''}SEED=${seed} npx vitest run libs/orchestrator/src/world.property.test.ts -t '${test}'`,
  ].join('\n')
}

/** Mostly small plans; in the soak, every tenth has up to 64 tasks. */
const sizeFor = (seed: number): { maxTasks: number } => ({ maxTasks: soak && seed % 10 === 0 ? 64 : 12 })

/** What is wrong with the run of a case; `null` when nothing is. */
type Check = (seed: number) => Promise<string | null>

/** Without faults, too, nothing is called twice, and everything is called. */
const calm: Check = async (seed) => {
  const own = calmCase(seed, { ...sizeFor(seed), chance: { deadline: 0 } })
  const expected = expectedOf(own.plan, own.devices, own.behaviour, MAX_ITEMS)
  const result = await runCase(own)
  const problems = problemsOf(own.plan, expected, result)
  if (result.outcome.state !== 'succeeded') problems.push('It did not succeed.')
  const sure = (key: string): boolean => !expected.undetermined.has(key.split(' ')[0] as string)
  const called = result.work.flatMap(({ phase, key }) => (phase === 'begin' ? [key] : []))
  if (new Set(called).size < called.length) problems.push('Something was called twice.')
  for (const key of expected.invocations.keys())
    if (sure(key) && !called.includes(key)) problems.push(`${key} was not called.`)
  return failureOf(problems, 'calm', own, result)
}

const storm: Check = async (seed) => {
  const own = stormCase(seed, sizeFor(seed))
  const expected = expectedOf(own.plan, own.devices, own.behaviour, MAX_ITEMS)
  const result = await runCase(own)
  return failureOf(problemsOf(own.plan, expected, result), 'storm', own, result)
}

let restarts = 0
const world: Check = async (seed) => {
  const own = worldCase(seed)
  const expected = expectedOf(own.plan, own.devices, own.behaviour, MAX_ITEMS)
  const result = await runCase(own)
  restarts += result.restarts
  return failureOf(problemsOf(own.plan, expected, result), 'world', own, result)
}

test('calm: a run gives what the plan says, and calls every task just as often', minutes(120), async () => {
  await seeds(CALM_RUNS, calm)
})

test(
  'storm: every run ends, nothing counts twice, and what is missing is explained',
  minutes(240),
  async () => {
    await seeds(STORM_RUNS, storm)
  },
)

test(
  'world: up to 50 devices, and a service that is killed and goes on from its journal',
  minutes(120),
  async () => {
    await seeds(WORLDS, world)
    if (SEED === undefined) expect(restarts).toBeGreaterThan(0)
  },
)

test.each(REGRESSIONS)('seed %i, which found a bug', minutes(10), async (seed) => {
  for (const check of [calm, storm, world]) expect((await check(seed)) ?? '').toBe('')
})

test(
  'journal: killed and restored at every event, a run is the same byte for byte',
  minutes(60),
  async () => {
    await seeds(REPLAYS, async (seed) => {
      const own = seed % 2 === 1 ? worldCase(seed) : stormCase(seed, { maxTasks: 12 })
      const result = await runCase(own)
      return failureOf(replayProblems(own.plan, own.devices, result), 'journal', own, result)
    })
  },
)
