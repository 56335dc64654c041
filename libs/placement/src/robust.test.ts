import {
  assumedProfile,
  completeProfile,
  fleetByName,
  fromSamples,
  type Profile,
  violationsOf,
  withDevices,
} from '@hivemind/swarm'
import { buildModel, estimateClosedForm } from '@hivemind/swarm-sim'
import { parseQuantity } from '@hivemind/workflow'
import { describe, expect, test } from 'vitest'
import { randomWorkflow, scenarioB } from '../test/workflows.ts'
import { allChoices, idOf, placementOf, spaceOf } from './candidates.ts'
import { frontOf, OBJECTIVES, objectivesOf } from './pareto.ts'
import { robust, robustSteps } from './robust.ts'
import { tiersOf } from './rules.ts'
import { drawnProfile } from './uncertainty.ts'

const fleet = withDevices(fleetByName('paper-drones') ?? raise(), 4)
function raise(): never {
  throw new Error('the default fleet is missing')
}

function allOf(workflow: ReturnType<typeof scenarioB>) {
  const space = spaceOf(tiersOf(workflow, fleet))
  if (space.allowed.some((tiers) => tiers.length === 0)) return []
  return [...allChoices(space)].map((choice) => {
    const placement = placementOf(space, choice)
    return { id: idOf(placement), placement }
  })
}

/** Everything measured `samples` times, with a standard deviation of a fifth of the mean. */
function measured(samples: number): Profile {
  const values = Array.from({ length: 11 }, (_, index) => 100 * (1 + (0.2 * (index - 5)) / Math.sqrt(10)))
  const entry = { ...fromSamples(values), samples }
  const tier = { serviceMs: entry, outputBytes: entry, outputsPerInvocation: 1 }
  const names = scenarioB().tasks.map(({ name }) => name)
  return {
    ...assumedProfile(scenarioB()),
    tasks: Object.fromEntries(names.map((name) => [name, { origin: 'measured' as const, cloud: tier }])),
  }
}

describe('draws of a profile', () => {
  const means = (profile: Profile, factor = 2) =>
    Array.from({ length: 2000 }, (_, n) => {
      const { tasks } = drawnProfile(profile, { seed: 7, n, factor })
      return tasks.faceRecognition
    })
  const complete = (profile: Profile) => completeProfile(scenarioB(), profile)

  test('a measured mean has its standard error', () => {
    const values = means(complete(measured(25))).map((task) => task?.cloud?.serviceMs.mean ?? 0)
    const mean = values.reduce((sum, each) => sum + each, 0) / values.length
    const deviation = Math.sqrt(values.reduce((sum, each) => sum + (each - mean) ** 2, 0) / values.length)
    const entry = complete(measured(25)).tasks.faceRecognition?.cloud.serviceMs
    // deviation of the quantile curve over the root of 25
    expect(mean).toBeCloseTo(entry?.mean ?? 0, 0)
    expect(deviation / 3.65).toBeGreaterThan(0.94)
    expect(deviation / 3.65).toBeLessThan(1.06)
  })

  test('an assumed mean lies between half and twice, as often below as above', () => {
    const profile = complete(assumedProfile(scenarioB()))
    const base = profile.tasks.faceRecognition?.cloud.serviceMs.mean ?? 0
    const factors = means(profile).map((task) => (task?.cloud?.serviceMs.mean ?? 0) / base)
    expect(Math.min(...factors)).toBeGreaterThanOrEqual(0.5)
    expect(Math.max(...factors)).toBeLessThanOrEqual(2)
    expect(Math.min(...factors)).toBeLessThan(0.51)
    expect(Math.max(...factors)).toBeGreaterThan(1.98)
    const below = factors.filter((factor) => factor < 1).length / factors.length
    expect(below).toBeGreaterThan(0.46)
    expect(below).toBeLessThan(0.54)
  })

  test('a derived tier is off by as much as the one it was derived from', () => {
    for (const task of means(complete(measured(25))).slice(0, 20)) expect(task?.edge).toEqual(task?.cloud)
  })

  test('nothing is drawn where nothing is uncertain', () => {
    const assumed = complete(assumedProfile(scenarioB()))
    expect(drawnProfile(assumed, { seed: 1, n: 3, factor: 1 })).toEqual(assumed)
  })
})

describe('robust choice', () => {
  const workflow = {
    ...scenarioB(),
    constraints: [{ key: 'latency' as const, limit: parseQuantity('2s', ['time']) ?? raise() }],
  }
  const candidates = allOf(workflow)

  test('shares and regrets are those of a plain recount', () => {
    const profile = completeProfile(workflow, undefined)
    const samples = 12
    const result = robust({ workflow, fleet, candidates, seed: 5, samples, factor: 3 })
    const draws = Array.from({ length: samples }, (_, n) => {
      const drawn = drawnProfile(profile, { seed: 5, n, factor: 3 })
      return candidates.map(({ placement }) =>
        estimateClosedForm(buildModel({ workflow, fleet, placement, profile: drawn })),
      )
    })
    for (const [at, judged] of result.candidates.entries()) {
      const onFront = draws.filter((draw) => frontOf(draw.map(objectivesOf)).includes(at)).length
      expect(judged.onFront).toBe(onFront / samples)
      const meets = draws.filter(
        (draw) => violationsOf(workflow.constraints, draw[at] ?? raise()).length === 0,
      ).length
      expect(judged.meets).toBe(meets / samples)
      for (const [index, objective] of OBJECTIVES.entries()) {
        const regrets = draws.map((draw) => {
          const values = draw.map((estimate) => objectivesOf(estimate)[index] as number)
          return (values[at] as number) - Math.min(...values)
        })
        const { mean, worst } = judged.regret[objective]
        expect(worst).toBe(Math.max(...regrets))
        expect(mean).toBeCloseTo(regrets.reduce((sum, each) => sum + each, 0) / samples, 6)
      }
    }
    const totals = draws.map((draw) => {
      const values = OBJECTIVES.map((_, index) =>
        draw.map((estimate) => objectivesOf(estimate)[index] as number),
      )
      return candidates.map(
        (_, at) =>
          values
            .map((each) => {
              const [low, high] = [Math.min(...each), Math.max(...each)]
              return high > low ? ((each[at] as number) - low) / (high - low) : 0
            })
            .reduce((sum, share) => sum + share, 0) / OBJECTIVES.length,
      )
    })
    for (const [at, { worstRegret, meanRegret }] of result.candidates.entries()) {
      const own = totals.map((draw) => draw[at] as number)
      expect(worstRegret).toBeCloseTo(Math.max(...own), 12)
      expect(meanRegret).toBeCloseTo(own.reduce((sum, each) => sum + each, 0) / samples, 12)
    }
    const most = Math.max(...result.candidates.map(({ meets }) => meets))
    const eligible = result.candidates.filter(({ meets }) => meets >= Math.min(0.95, most))
    const least = Math.min(...eligible.map(({ worstRegret }) => worstRegret))
    expect(eligible.find(({ id }) => id === result.choice)?.worstRegret).toBe(least)
    expect(result.sentences[0]).toContain(result.choice)
  })

  test('the order of the candidates does not matter', () => {
    const ask = { workflow, fleet, seed: 2, samples: 8 }
    const forth = robust({ ...ask, candidates })
    const back = robust({ ...ask, candidates: [...candidates].reverse() })
    expect(back.candidates.reverse()).toEqual(forth.candidates)
    expect(back.candidates.find(({ id }) => id === back.choice)?.worstRegret).toBe(
      forth.candidates.find(({ id }) => id === forth.choice)?.worstRegret,
    )
  })

  test('without uncertainty every share is all or nothing, and the front is the front', () => {
    const { candidates: judged } = robust({ workflow, fleet, candidates, seed: 1, samples: 5, factor: 1 })
    const points = candidates.map(({ placement }) =>
      objectivesOf(estimateClosedForm(buildModel({ workflow, fleet, placement }))),
    )
    expect(judged.flatMap(({ onFront }, at) => (onFront === 1 ? [at] : []))).toEqual(frontOf(points))
    for (const { onFront, meets } of judged) expect([0, 1]).toEqual(expect.arrayContaining([onFront, meets]))
  })

  test('more measurements, less doubt', () => {
    const doubt = (samples: number) =>
      robust({ workflow, fleet, profile: measured(samples), candidates, seed: 1, samples: 60 })
        .candidates.map(({ regret }) => regret.latency.worst - regret.latency.mean)
        .reduce((sum, each) => sum + each, 0)
    expect(doubt(10_000)).toBeLessThan(doubt(2) / 10)
  })

  test.each(Array.from({ length: 20 }, (_, seed) => seed))('random DAG %i has a robust choice', (seed) => {
    const random = randomWorkflow(seed, 3 + (seed % 5))
    const all = allOf(random).slice(0, 40)
    const result = robust({ workflow: random, fleet, candidates: all, seed, samples: 6 })
    expect(result.choice === null).toBe(all.length === 0)
    for (const { onFront, meets, worstRegret } of result.candidates)
      for (const share of [onFront, meets, worstRegret]) {
        expect(share).toBeGreaterThanOrEqual(0)
        expect(share).toBeLessThanOrEqual(1)
      }
  })

  test('steps tell how far they are', () => {
    const steps = [...robustSteps({ workflow, fleet, candidates, seed: 1, samples: 2 })]
    expect(steps.length).toBe(2 * candidates.length)
    expect(steps).toEqual([...steps].sort((a, b) => a - b))
    expect(steps.at(-1)).toBe(1)
  })

  test('nonsense is refused', () => {
    expect(() => robust({ workflow, fleet, candidates, seed: 1, samples: 0 })).toThrow(/'samples'/)
    expect(() => robust({ workflow, fleet, candidates, seed: 1, factor: 0.5 })).toThrow(/'factor'/)
    const illegal = [{ id: 'x', placement: { ...candidates[0]?.placement, collectImage: 'cloud' as const } }]
    expect(() => robust({ workflow, fleet, candidates: illegal, seed: 1 })).toThrow(/Candidate x/)
  })
})
