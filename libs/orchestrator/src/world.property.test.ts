/**
 * Random workflows in random worlds. A failing seed prints itself; to replay it alone:
 * `SEED=<n> npx vitest run libs/orchestrator/src/world.property.test.ts -t storm`
 */
import { expect, test } from 'vitest'
import { problemsOf } from '../test/invariants.ts'
import { expectedOf } from '../test/oracle.ts'
import { replayProblems } from '../test/replay.ts'
import { type Case, calmCase, MAX_ITEMS, planText, runCase, stormCase } from '../test/seeds.ts'
import type { WorldResult } from '../test/world.ts'

const soak = process.env.HIVEMIND_SOAK === '1'
const only = process.env.SEED === undefined ? undefined : Number(process.env.SEED)
/** Random plans in calm and in stormy worlds, and runs whose journal is replayed. */
const [CALM_RUNS, STORM_RUNS, REPLAYS] = soak ? [50_000, 50_000, 1_000] : [1_000, 1_000, 60]
const minutes = (count: number): { timeout: number } => ({ timeout: count * 60_000 })

async function seeds(count: number, check: (seed: number) => Promise<void>): Promise<void> {
  if (only !== undefined) return check(only)
  for (let seed = 1; seed <= count; seed++) await check(seed)
}

/** Fails with all that a stranger needs to see the same again. */
function demand(problems: string[], test: string, { seed, plan, faults }: Case, result: WorldResult): void {
  expect(
    problems,
    `Seed ${seed}: ${result.outcome.state} ${result.outcome.message ?? ''}\n${planText(plan)}\n${JSON.stringify(faults)}\nReplay it: SEED=${seed} npx vitest run libs/orchestrator/src/world.property.test.ts -t '${test}'\n`,
  ).toEqual([])
}

/** Mostly small plans; in the soak, every tenth has up to 64 tasks. */
const sizeFor = (seed: number): { maxTasks: number } => ({ maxTasks: soak && seed % 10 === 0 ? 64 : 12 })

test('calm: a run gives what the plan says, and calls every task just as often', minutes(120), async () => {
  await seeds(CALM_RUNS, async (seed) => {
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
    demand(problems, 'calm', own, result)
  })
})

test(
  'storm: every run ends, nothing counts twice, and what is missing is explained',
  minutes(240),
  async () => {
    await seeds(STORM_RUNS, async (seed) => {
      const own = stormCase(seed, sizeFor(seed))
      const expected = expectedOf(own.plan, own.devices, own.behaviour, MAX_ITEMS)
      const result = await runCase(own)
      demand(problemsOf(own.plan, expected, result), 'storm', own, result)
    })
  },
)

test(
  'journal: killed and restored at every event, a run is the same byte for byte',
  minutes(60),
  async () => {
    await seeds(REPLAYS, async (seed) => {
      const own = stormCase(seed, { maxTasks: 12 })
      const result = await runCase(own)
      demand(replayProblems(own.plan, own.devices, result), 'journal', own, result)
    })
  },
)
