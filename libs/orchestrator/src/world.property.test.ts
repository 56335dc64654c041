/** Random workflows in random worlds: nothing runs before its parents, nothing counts twice, every run ends. */
import { expect, test } from 'vitest'
import { type Behaviour, expectedOf } from '../test/oracle.ts'
import { randomPlan, rng } from '../test/random-plan.ts'
import { CALM, runWorld } from '../test/world.ts'

const RUNS = process.env.HIVEMIND_SOAK === '1' ? 100_000 : Number(process.env.RUNS ?? 300)

/** Roots emit a few items, tasks below one or sometimes none; the same key always the same. */
const behaviourOf =
  (seed: number): Behaviour =>
  (task, device, seq) => {
    const random = rng(seed * 7919 + hash(`${task} ${device} ${seq}`))
    const draw = random()
    return task === 't0' || seq > 0
      ? draw < 0.1
        ? 0
        : 1 + Math.floor(random() * 5)
      : draw < 0.05
        ? 0
        : 1 + Math.floor(random() * 4)
  }

function hash(text: string): number {
  let sum = 17
  for (let at = 0; at < text.length; at++) sum = (Math.imul(sum, 31) + text.charCodeAt(at)) | 0
  return sum
}

test('in a calm world a run gives what the plan says, and calls every task as often', {
  timeout: 1_200_000,
}, async () => {
  for (let seed = 1; seed <= RUNS; seed++) {
    const random = rng(seed)
    const plan = randomPlan(random, { maxTasks: 10 })
    const devices = ['d1', 'd2', 'd3', 'd4'].slice(0, 1 + Math.floor(random() * 4))
    const behaviour = behaviourOf(seed)
    const expected = expectedOf(plan, devices, behaviour, 5)
    const result = await runWorld(plan, devices, behaviour, rng(seed + 1), { ...CALM, lateMs: 3 })
    const where = `seed ${seed}: ${JSON.stringify(plan.tasks.map(({ name, parents, scope, tier, kindOut, stateKey, serialAfter, overlaps, barrier }) => ({ name, parents, scope, tier, kindOut, stateKey, serialAfter, overlaps, barrier })))}`
    expect(result.outcome, `${result.outcome.message} ${where}`).toMatchObject({ state: 'succeeded' })
    const given = new Map(
      result.outputs.map((output) => [`${output.task} ${output.device} ${output.seq}`, output.value]),
    )
    expect(given.size, where).toBe(result.outputs.length)
    const sure = ([key]: [string, unknown]) => !expected.undetermined.has(key.split(' ')[0] ?? '')
    expect(Object.fromEntries([...given].filter(sure)), where).toEqual(
      Object.fromEntries([...expected.outputs].filter(sure)),
    )
    const called = result.work.filter(({ phase }) => phase === 'begin').map(({ key }) => key)
    expect(new Set(called).size, where).toBe(called.length)
    const known = (key: string) => !expected.undetermined.has(key.split(' ')[0] ?? '')
    expect(called.filter(known).sort(), where).toEqual([...expected.invocations].filter(known).sort())
  }
})
