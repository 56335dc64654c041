/** Random workflows on a random swarm with random failures: every run ends, nothing counts twice, nothing vanishes. */
import type { Plan, PlanTask } from '@hivemind/synthesis'
import { expect, test } from 'vitest'
import { type Behaviour, fakeSwarm, planOf, type Rng, rng, task } from '../test/fakeSwarm.ts'
import { executePlan, type RunResult, WorkFailure } from './index.ts'

const RUNS = process.env.HIVEMIND_SOAK === '1' ? 20_000 : 600

const pick = <T>(random: Rng, from: readonly T[]): T => from[Math.floor(random() * from.length)] as T

function randomPlan(random: Rng, restore?: PlanTask['restore']): Plan {
  const count = 1 + Math.floor(random() * 7)
  const tasks: PlanTask[] = []
  for (let index = 0; index < count; index += 1) {
    const parents = tasks.filter(() => random() < 0.4).map(({ name }) => name)
    const swarm = tasks.some(({ name, scope }) => parents.includes(name) && scope === 'swarm')
    const barrier = parents.length > 0 && random() < 0.15
    tasks.push(
      task(`t${index}`, {
        parents,
        tier: random() < 0.55 && !swarm && !barrier ? 'edge' : 'cloud',
        restore: restore ?? pick(random, ['respawn', 'repartition', 'checkpoint', 'ignore'] as const),
        priority: Math.floor(random() * 3),
        ...(barrier && { barrier: { kind: 'all' } as const }),
        scope: swarm || barrier ? 'swarm' : 'device',
      }),
    )
  }
  return planOf(tasks)
}

/** Roots emit a stream or an object, tasks below one item or sometimes none; the same key always the same. */
function behaviourOf(plan: Plan, seed: number): Behaviour {
  const widths = new Map(plan.tasks.map(({ name }, index) => [name, rng(seed * 31 + index)]))
  const cache = new Map<string, number>()
  return (key) => {
    const id = `${key.task} ${key.device} ${key.seq}`
    const known = cache.get(id)
    if (known !== undefined) return known
    const random = widths.get(key.task) ?? Math.random
    const root = plan.tasks.find(({ name }) => name === key.task)?.parents.length === 0
    const items = root ? pick(random, [0, 1, 1, 2, 3, 5]) : random() < 0.1 ? 0 : 1
    cache.set(id, items)
    return items
  }
}

const keysOf = ({ outputs }: RunResult) => outputs.map(({ task, device, seq }) => `${task} ${device} ${seq}`)

test('with lost devices the outcome is that of a quiet run, or the result says what was lost', {
  timeout: 600_000,
}, async () => {
  let lostRuns = 0
  for (let seed = 1; seed <= RUNS; seed += 1) {
    const random = rng(seed)
    const plan = randomPlan(random)
    const devices = ['d1', 'd2', 'd3'].slice(0, 1 + Math.floor(random() * 3))
    const behaviour = behaviourOf(plan, seed)
    const options = {
      run: 'r',
      devices,
      edgeWindow: 1 + Math.floor(random() * 4),
      cloudSlots: 1 + Math.floor(random() * 3),
    }
    const quiet = fakeSwarm({ plan, devices, random: rng(seed + 1), behaviour })
    const calm = await executePlan(plan, quiet.ports, options)
    expect(calm, `seed ${seed}`).toMatchObject({ state: 'succeeded', losses: [] })
    expect(new Set(quiet.ran.map((key) => JSON.stringify(key))).size, `seed ${seed}`).toBe(quiet.ran.length)

    const storm = rng(seed + 2)
    const swarm = fakeSwarm({
      plan,
      devices,
      random: rng(seed + 3),
      behaviour,
      chaos: (self) => {
        if (storm() < 0.05) self.kill(pick(storm, devices), storm() < 0.8)
      },
    })
    const result = await executePlan(plan, swarm.ports, options)
    const keys = keysOf(result)
    expect(new Set(keys).size, `seed ${seed}`).toBe(keys.length)
    expect(['succeeded', 'failed'], `seed ${seed}`).toContain(result.state)
    if (result.state === 'failed') {
      lostRuns += 1
      expect(result.message, `seed ${seed}`).toMatch(/lost/)
      continue
    }
    const given = result.losses.filter((text) => !/^Device .* was given up; the work/.test(text))
    if (given.length === 0) expect(keys.sort(), `seed ${seed}`).toEqual(keysOf(calm).sort())
    else expect(keysOf(calm), `seed ${seed}`).toEqual(expect.arrayContaining(keys))
  }
  expect(lostRuns).toBeLessThan(RUNS / 2)
})

test('random crashes and exceptions: every run ends, and outputs missing from it are stated', {
  timeout: 600_000,
}, async () => {
  for (let seed = 1; seed <= RUNS; seed += 1) {
    const random = rng(seed * 7)
    const plan = randomPlan(random)
    const devices = ['d1', 'd2']
    const behaviour = behaviourOf(plan, seed)
    const calm = await executePlan(plan, fakeSwarm({ plan, devices, random: rng(seed), behaviour }).ports, {
      run: 'r',
      devices,
    })
    const luck = rng(seed + 9)
    const swarm = fakeSwarm({
      plan,
      devices,
      random: rng(seed + 3),
      behaviour: (key, attempt) => {
        if (luck() < 0.08) throw new WorkFailure(luck() < 0.7 ? 'crash' : 'exception', 'Boom.')
        return behaviour(key, attempt)
      },
    })
    const result = await executePlan(plan, swarm.ports, { run: 'r', devices })
    const keys = keysOf(result)
    expect(new Set(keys).size, `seed ${seed}`).toBe(keys.length)
    if (result.state === 'failed')
      expect(result.message, `seed ${seed}`).toMatch(/failed( when begun anew)?: Boom/)
    else if (result.losses.length === 0) expect(keys.sort(), `seed ${seed}`).toEqual(keysOf(calm).sort())
  }
})
