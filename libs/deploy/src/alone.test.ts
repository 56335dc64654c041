import { check } from '@hivemind/dsl'
import type { Timings } from '@hivemind/orchestrator'
import { constant, type Estimate, type Profile } from '@hivemind/swarm'
import { simulate } from '@hivemind/swarm-sim'
import { expect, test } from 'vitest'
import { profileAlone } from './alone.ts'
import { onThisMachine } from './machine.ts'

const { workflow } = check(
  [
    "TaskGraph(list=['watch', 'near', 'far', 'sum'])",
    "Data(frame, kind='stream', rate='10/s')",
    "Task(watch, None, frame, 'watch.mjs', childTask=['near', 'far'])",
    "Task(near, frame, turn, 'near.mjs', parentTask=['watch'], childTask=[])",
    "Task(far, frame, found, 'far.mjs', parentTask=['watch'], childTask=['sum'])",
    "Task(sum, found, all, 'sum.mjs', parentTask=['far'], childTask=[])",
    "Synchronize(sum, 'all')",
  ].join('\n'),
  { fileExists: () => true },
)
if (!workflow) throw new Error('the workflow of the test has a fault')

const PLACEMENT = { watch: 'edge', near: 'edge', far: 'cloud', sum: 'cloud' } as const

/** A profile of these times in ms. */
function profileOf(times: Record<keyof typeof PLACEMENT, number>): Profile {
  const tasks = Object.entries(times).map(([task, ms]) => {
    const tier = { serviceMs: constant(ms), outputsPerInvocation: 1, outputBytes: constant(1000) }
    return [task, { origin: 'measured', cloud: tier, edge: tier }]
  })
  return { schema: 'hivemind.profile/1', note: 'a test', tasks: Object.fromEntries(tasks) }
}

const simulated = (profile: Profile): Estimate[] =>
  [1, 2, 3].map((seed) => {
    const given = { workflow, placement: PLACEMENT, profile, itemsPerDevice: 40 }
    const calls = { others: 1, tasks: { watch: { arrivalMs: 1, begin: { afterMs: 100, spreadMs: 5 } } } }
    const { model, conditions } = onThisMachine(given, 4, undefined, calls)
    return simulate(model, { seed, conditions })
  })

/** Runs with the medians of simulations. */
const runsOf = (estimates: readonly Estimate[]): Timings[] =>
  estimates.map(({ perTask, latencyMs, execTimeMs }) => ({
    tasks: Object.fromEntries(
      Object.entries(perTask).map(([task, { p50Ms }]) => [task, Array(task === 'sum' ? 1 : 40).fill(p50Ms)]),
    ),
    endToEnd: Array(40).fill(latencyMs.p50),
    runMs: execTimeMs,
  }))

const meanOf = (profile: Profile, task: string): number => profile.tasks[task]?.cloud?.serviceMs.mean ?? 0

test('what tasks take alone is found from runs in which they shared the cores', () => {
  const runs = runsOf(simulated(profileOf({ watch: 50, near: 12, far: 20, sum: 4 })))
  // What they took together, as runs would show it.
  const alone = profileAlone(workflow, profileOf({ watch: 50, near: 20, far: 33, sum: 7 }), runs, simulated)
  for (const [task, ms] of [
    ['near', 12],
    ['far', 20],
  ] as const)
    expect(Math.abs(meanOf(alone, task) / ms - 1), `${task} ${meanOf(alone, task)}`).toBeLessThan(0.1)
  // A sensor, and a task that runs once.
  expect([meanOf(alone, 'watch'), meanOf(alone, 'sum')]).toEqual([50, 7])
})

test('it settles where a little more work waits much longer', () => {
  // Four devices with ten items a second keep a share of two cores busy that others leave.
  const runs = runsOf(simulated(profileOf({ watch: 50, near: 2, far: 32, sum: 4 })))
  const alone = profileAlone(workflow, profileOf({ watch: 50, near: 2, far: 25, sum: 4 }), runs, simulated)
  expect(Math.abs(meanOf(alone, 'far') / 32 - 1), `${meanOf(alone, 'far')}`).toBeLessThan(0.02)
})

test('no time becomes more than twice, or less than a tenth, of what runs took', () => {
  const slow = runsOf(simulated(profileOf({ watch: 50, near: 1, far: 30, sum: 4 })))
  const given = profileOf({ watch: 50, near: 40, far: 3, sum: 4 })
  const alone = profileAlone(workflow, given, slow, simulated)
  expect(meanOf(alone, 'near')).toBeCloseTo(4)
  expect(meanOf(alone, 'far')).toBeCloseTo(6)
})

test('without runs the profile stays', () => {
  const given = profileOf({ watch: 50, near: 12, far: 20, sum: 4 })
  expect(profileAlone(workflow, given, [], simulated)).toBe(given)
})
