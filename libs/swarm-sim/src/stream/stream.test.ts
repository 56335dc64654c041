/** The run of a stream is the run by events, byte for byte. */
import type { Distribution } from '@hivemind/swarm'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { plainFleet, profileOf, scenarioB, tier, workflowOf } from '../../test/workflows.ts'
import { Run } from '../events/run.ts'
import { detailOf } from '../figures/outcome.ts'
import { buildModel } from '../model/build.ts'
import type { Model } from '../model/model.ts'
import { toEnd } from '../steps.ts'
import { StreamRun } from './run.ts'
import { isStream } from './stream.ts'

const skewed: Distribution = { mean: 60, quantiles: [10, 20, 40, 80, 150], samples: 0 }
const task = fc.record({
  isInCloud: fc.boolean(),
  /** Which of the tasks before it are its parents. */
  parents: fc.array(fc.nat(), { minLength: 1, maxLength: 3 }),
  service: fc.constantFrom<Distribution | number>(0, 5, 60, skewed),
  bytes: fc.constantFrom<Distribution | number>(0, 20_000, skewed),
  /** From its first parent it takes no data, if it has others. */
  isOnlyOrder: fc.boolean(),
  /** Not on every device. */
  runsOnFew: fc.boolean(),
})
const given = fc.record({
  tasks: fc.array(task, { minLength: 1, maxLength: 9 }),
  devices: fc.integer({ min: 1, max: 6 }),
  items: fc.integer({ min: 1, max: 40 }),
  seed: fc.integer(),
  cores: fc.integer({ min: 1, max: 3 }),
  processPerTask: fc.boolean(),
  link: fc.record({
    kind: fc.constantFrom('wired' as const, 'wireless' as const),
    count: fc.integer({ min: 1, max: 3 }),
    bandwidthMbps: fc.constantFrom(8, 800),
    delayMs: fc.constantFrom(0, 2),
    rpc: fc.constantFrom({ fixedMs: 1, bandwidthMBps: 5 }, undefined),
  }),
  cloud: fc.record({
    coresPerServer: fc.constantFrom(1, 3, 1000),
    coldStartMs: fc.constantFrom(0, 150),
    keepAliveS: fc.constantFrom(0.05, 20),
    dispatchMs: fc.constantFrom(0, 3),
    handOver: fc.record({ fixedMs: fc.constantFrom(0, 5), bandwidthMBps: fc.constantFrom(1, 100) }),
  }),
})
type Given = typeof given extends fc.Arbitrary<infer One> ? One : never

function modelOf({ tasks, devices, items, cores, processPerTask, link, cloud }: Given): Model {
  const names = ['sense', ...tasks.map((_, at) => `task${at}`)]
  const parentsOf = tasks.map(({ parents }, at) => [
    ...new Set(parents.map((one) => names[one % (at + 1)] as string)),
  ])
  const { rpc, ...others } = link
  const fleet = plainFleet(devices, { cores, link: { ...others, ...(rpc && { rpc }) }, cloud })
  const sized = (bytes: Distribution | number, each: ReturnType<typeof tier>) =>
    typeof bytes === 'number' ? each : { ...each, outputBytes: bytes }
  const model = buildModel({
    workflow: workflowOf({
      sense: { args: { rate: '8/s' } },
      ...Object.fromEntries(
        tasks.map(({ isOnlyOrder }, at) => {
          const parents = parentsOf[at] as string[]
          return [
            names[at + 1] as string,
            {
              parents,
              reads: parents.slice(isOnlyOrder && parents.length > 1 ? 1 : 0).map((parent) => `${parent}Out`),
            },
          ]
        }),
      ),
    }),
    placement: Object.fromEntries(
      names.map((name, at) => [name, at > 0 && tasks[at - 1]?.isInCloud ? 'cloud' : 'edge']),
    ),
    fleet: {
      ...fleet,
      devices: fleet.devices.map((group) => ({ ...group, class: { ...group.class, processPerTask } })),
    },
    profile: profileOf({
      sense: tier(0, 20_000, items),
      ...Object.fromEntries(
        tasks.map(({ service, bytes }, at) => [
          names[at + 1] as string,
          sized(bytes, tier(service, typeof bytes === 'number' ? bytes : 0)),
        ]),
      ),
    }),
    itemsPerDevice: items,
  })
  const few = (lanes: number[]) => lanes.filter((lane) => lane % 2 === 0)
  return {
    ...model,
    tasks: model.tasks.map((each, at) =>
      at > 0 && tasks[at - 1]?.runsOnFew ? { ...each, lanes: few(each.lanes) } : each,
    ),
  }
}

test('gives what the run by events gives', () => {
  fc.assert(
    fc.property(given, (each) => {
      const model = modelOf(each)
      expect(isStream(model)).toBe(true)
      const expected = toEnd(new Run(model, each.seed).run())
      const actual = toEnd(new StreamRun(model, each.seed).run())
      expect(detailOf(model, actual)).toEqual(detailOf(model, expected))
      expect(actual.items()).toEqual(expected.items())
      expect(actual.standingFor([0, 0.5, 0.99])).toEqual(expected.standingFor([0, 0.5, 0.99]))
    }),
    { numRuns: 300 },
  )
})

test('what is more than a stream is none', () => {
  const model = buildModel({
    workflow: scenarioB(),
    placement: Object.fromEntries(scenarioB().tasks.map(({ name }) => [name, 'edge'])),
    fleet: plainFleet(2),
    profile: profileOf({}),
  })
  expect(isStream(model)).toBe(false)
})

test('so many joined items that each cannot have a place are left to the run by events', () => {
  const model = buildModel({
    workflow: workflowOf({
      sense: { args: { rate: '8/s' } },
      left: { reads: ['senseOut'], parents: ['sense'] },
      right: { reads: ['senseOut'], parents: ['sense'] },
      join: { reads: ['leftOut', 'rightOut'], parents: ['left', 'right'] },
    }),
    placement: { sense: 'edge', left: 'edge', right: 'cloud', join: 'cloud' },
    fleet: plainFleet(2),
    profile: profileOf({
      sense: tier(0, 20_000, 5),
      ...Object.fromEntries(['left', 'right', 'join'].map((name) => [name, tier(5, 10)])),
    }),
  })
  const of = (items: number): Model => ({
    ...model,
    tasks: model.tasks.map((each) =>
      each.gap ? { ...each, outputs: items } : { ...each, invocations: items },
    ),
  })
  expect(isStream(of(2 ** 21))).toBe(true)
  expect(isStream(of(2 ** 21 + 1))).toBe(false)
})
