import { readFileSync } from 'node:fs'
import { check } from '@hivemind/dsl'
import { explore } from '@hivemind/placement'
import {
  completeProfile,
  deviceCount,
  fleetByName,
  itemsPerDeviceOf,
  rateOf,
  withDevices,
} from '@hivemind/swarm'
import type { Workflow } from '@hivemind/workflow'
import { canonical } from '@hivemind/workflow'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  applied,
  baseOf,
  knobsOf,
  POSITIONS,
  parsed,
  positionOf,
  type Scenario,
  scenarioOf,
  settle,
  stepped,
  valueAt,
} from './knobs.ts'
import { LatestWorker, type Port } from './latest.ts'
import { countsUpTo, curves, isQuick, screen } from './screen.ts'
import { sha256 } from './sha256.ts'

const root = new URL('../../../../../../examples/', import.meta.url)
function example(name: string): Workflow {
  const { workflow } = check(readFileSync(new URL(`${name}/${name}.hive.py`, root), 'utf8'))
  if (!workflow) throw new Error(name)
  return workflow
}
function scenario(name = 'people-recognition', itemsPerDevice?: number): Scenario {
  const workflow = example(name)
  const fleet = fleetByName('paper-drones')
  if (!fleet) throw new Error('no fleet')
  const profile = completeProfile(workflow)
  return { workflow, fleet, profile, seed: 1, ...(itemsPerDevice === undefined ? {} : { itemsPerDevice }) }
}
const every = ['hello-swarm', 'people-recognition', 'stationary-items']
const placementsOf = async (of: Scenario) => (await explore(of)).candidates

describe('knobs', () => {
  const knobs = knobsOf(scenario())
  test('every example has all five', () => {
    for (const name of every)
      expect(knobsOf(scenario(name)).map((knob) => knob.id)).toEqual([
        'devices',
        'rate',
        'size',
        'bandwidth',
        'price',
      ])
  })
  test('a position gives a value of that position, within the bounds', () => {
    fc.assert(
      fc.property(fc.constantFrom(...knobs), fc.integer({ min: 0, max: POSITIONS }), (knob, position) => {
        const value = valueAt(knob, position)
        expect(value).toBeGreaterThanOrEqual(knob.min)
        expect(value).toBeLessThanOrEqual(knob.max)
        if (!knob.whole) expect(Math.abs(positionOf(knob, value) - position)).toBeLessThanOrEqual(2)
      }),
    )
  })
  test('the base has a place on the slider that gives it back exactly', () => {
    for (const knob of knobs) expect(valueAt(knob, positionOf(knob, knob.base))).toBe(knob.base)
  })
  test('a key always moves the value, up to the bound', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...knobs),
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.constantFrom(-12, -1, 1, 12),
        (knob, share, steps) => {
          const value = settle(knob, knob.min * (knob.max / knob.min) ** share)
          const next = stepped(knob, value, steps)
          const bound = steps > 0 ? knob.max : knob.min
          if (value === bound) expect(next).toBe(bound)
          else expect(Math.sign(next - value)).toBe(Math.sign(steps))
        },
      ),
    )
  })
  test('what is typed: numbers within the bounds, sizes with a unit', () => {
    const knob = (id: string) => {
      const found = knobs.find((each) => each.id === id)
      if (!found) throw new Error(id)
      return found
    }
    expect(parsed(knob('devices'), ' 64 ')).toBe(64)
    expect(parsed(knob('devices'), '6.5')).toBeUndefined()
    expect(parsed(knob('devices'), '0')).toBeUndefined()
    expect(parsed(knob('devices'), '64kB')).toBeUndefined()
    expect(parsed(knob('size'), '80 kB')).toBe(80_000)
    expect(parsed(knob('size'), '80')).toBeUndefined()
    expect(parsed(knob('price'), '0,1')).toBe(0.1)
    expect(parsed(knob('price'), 'cheap')).toBeUndefined()
    expect(parsed(knob('devices'), '1,000')).toBe(1000)
    expect(parsed(knob('size'), '25,249.5')).toBe(25_249.5)
    expect(parsed(knob('price'), '0,125')).toBe(0.125)
    for (const typed of ['1,5', '1,00,0', '1,000,', ',5', '1,2,3'])
      expect(parsed(knob('devices'), typed), typed).toBeUndefined()
  })
})

describe('the scenario with other settings', () => {
  test('nothing turned: the same exploration, byte by byte', async () => {
    for (const name of every) {
      const own = scenario(name, 8)
      const same = applied(own, baseOf(knobsOf(own)), true)
      expect(canonical(await explore(same))).toBe(canonical(await explore(own)))
    }
  })
  test('a finished exploration gives its scenario back', async () => {
    for (const own of [scenario('people-recognition', 8), scenario('hello-swarm')]) {
      const first = await explore(own)
      const again = scenarioOf(own.workflow, first.inputs, own.itemsPerDevice)
      if (!again) throw new Error('no scenario')
      expect(canonical(await explore(again))).toBe(canonical(first))
    }
  })
  test('the fleet is the one it was explored on, whatever has become of that name', async () => {
    const { inputs } = await explore(scenario())
    const hello = example('hello-swarm')
    expect(scenarioOf(hello, { ...inputs, fleet: 'gone' }, 1)?.fleet).toEqual(inputs.fleetUsed)
    // A result of before fleets were kept with it.
    const { fleetUsed, ...old } = inputs
    expect(scenarioOf(hello, old, 1)?.fleet).toEqual(fleetUsed)
    expect(scenarioOf(hello, { ...old, fleet: 'gone' }, 1)).toBe(undefined)
  })
  test('twice the frames a second: twice the rate and items, for as long', () => {
    for (const items of [32, undefined]) {
      const own = scenario('people-recognition', items)
      const base = baseOf(knobsOf(own))
      const next = applied(own, { ...base, rate: 2 * base.rate }, true)
      const sensor = next.workflow.tasks.find((task) => task.name === 'collectImage')
      if (!sensor) throw new Error('no sensor')
      expect(rateOf(next.workflow, sensor)).toBe(16)
      if (items) expect(next.itemsPerDevice).toBe(64)
      expect(itemsPerDeviceOf(next.workflow, next.profile)).toBe(
        2 * itemsPerDeviceOf(own.workflow, own.profile),
      )
    }
  })
  test('larger frames: more bytes, and more work for those who read them if asked', () => {
    const own = scenario()
    const base = baseOf(knobsOf(own))
    const bytes = (of: Scenario, task: string) => of.profile.tasks[task]?.edge?.outputBytes.mean
    const ms = (of: Scenario, task: string) => of.profile.tasks[task]?.edge?.serviceMs.mean ?? 0
    for (const work of [true, false]) {
      const next = applied(own, { ...base, size: 4 * base.size }, work)
      expect(bytes(next, 'collectImage')).toBeCloseTo(4 * base.size)
      expect(bytes(next, 'faceRecognition')).toBe(bytes(own, 'faceRecognition'))
      expect(ms(next, 'faceRecognition')).toBeCloseTo(ms(own, 'faceRecognition') * (work ? 4 : 1))
      expect(ms(next, 'deduplication')).toBe(ms(own, 'deduplication'))
    }
  })
  test('devices, link and price reach the fleet', () => {
    const own = scenario()
    const next = applied(own, { ...baseOf(knobsOf(own)), devices: 100, bandwidth: 54, price: 0.5 }, true)
    expect(deviceCount(next.fleet)).toBe(100)
    expect(next.fleet.uplink.bandwidthMbps).toBe(54)
    expect(next.fleet.cloud.pricePerCoreHour).toBe(0.5)
    expect(deviceCount(own.fleet)).toBe(16)
  })
})

describe('closed forms of all candidates', () => {
  test('a dearer cloud changes cost and nothing else; the front holds what no other beats', async () => {
    const own = scenario('people-recognition', 8)
    const candidates = await placementsOf(own)
    const base = baseOf(knobsOf(own))
    const before = screen(own, candidates)
    const after = screen(applied(own, { ...base, price: 2 * base.price }, true), candidates)
    for (const [at, candidate] of before.entries()) {
      const twin = after[at]
      expect(twin?.id).toBe(candidate.id)
      expect(twin?.estimate.costPerHour).toBeCloseTo(2 * candidate.estimate.costPerHour)
      expect(twin?.estimate.latencyMs).toEqual(candidate.estimate.latencyMs)
    }
    expect(before.some((candidate) => candidate.pareto)).toBe(true)
  })
  test('those of the examples are worked out on the spot; many placements or devices are for a worker', async () => {
    for (const name of every) {
      const own = scenario(name)
      expect(isQuick(own, await placementsOf({ ...own, itemsPerDevice: 1 })), name).toBe(true)
    }
    const own = scenario()
    const candidates = await placementsOf({ ...own, itemsPerDevice: 1 })
    expect(isQuick({ ...own, fleet: withDevices(own.fleet, 10_000) }, candidates)).toBe(false)
    expect(isQuick(own, Array(16).fill(candidates).flat())).toBe(false)
  })
  test('curves: the best value at each count, and takeovers exactly where the best changes', async () => {
    const own = scenario('people-recognition', 8)
    const candidates = await placementsOf(own)
    const counts = countsUpTo(2000, 16, 9)
    expect(counts[0]).toBe(1)
    expect(counts.at(-1)).toBe(2000)
    expect(counts).toContain(16)
    const found = curves(own, candidates, counts)
    for (const { points, takeovers } of Object.values(found)) {
      expect(points.map((point) => point.devices)).toEqual(counts)
      const changes = points.slice(1).filter((point, n) => point.id !== points[n]?.id).length
      expect(takeovers.length).toBe(changes)
      for (const { at, from, to } of takeovers) {
        const both = curves(own, candidates, [at - 1, at])
        const ids = Object.values(both).map((curve) => curve.points.map((point) => point.id).join())
        expect(ids.some((pair) => pair.startsWith(from) || pair.endsWith(to))).toBe(true)
      }
    }
  })
})

describe('asking a worker while the question changes', () => {
  class Echo implements Port<number> {
    static open: Echo[] = []
    onmessage: Port<number>['onmessage'] = null
    onerror: Port<number>['onerror'] = null
    asked: number[] = []
    terminated = false
    constructor() {
      Echo.open.push(this)
    }
    postMessage(request: number) {
      this.asked.push(request)
    }
    terminate() {
      this.terminated = true
    }
    reply(data: unknown) {
      this.onmessage?.({ data } as MessageEvent)
    }
  }
  const start = () => {
    Echo.open = []
    const heard: (number | string)[] = []
    const worker = new LatestWorker<number, number>(() => new Echo())
    const ask = (n: number) =>
      worker.ask(n, { onAnswer: (a) => heard.push(a), onFailure: (m) => heard.push(m) })
    return { worker, ask, heard, port: () => Echo.open.at(-1) as Echo }
  }

  test('questions that come faster than answers are skipped: the latest wins', () => {
    const { ask, heard, port } = start()
    for (const n of [1, 2, 3, 4]) ask(n)
    port().reply({ type: 'answer', answer: 10 })
    port().reply({ type: 'answer', answer: 40 })
    expect(port().asked).toEqual([1, 4])
    expect(heard).toEqual([10, 40])
  })
  test('cancelling ends the worker; its answer is never heard; the next question has a new one', () => {
    const { worker, ask, heard, port } = start()
    ask(1)
    ask(2)
    const old = port()
    worker.cancel()
    expect(old.terminated).toBe(true)
    expect(worker.busy).toBe(false)
    old.reply({ type: 'answer', answer: 10 })
    ask(3)
    expect(Echo.open.length).toBe(2)
    port().reply({ type: 'answer', answer: 30 })
    expect(heard).toEqual([30])
  })
  test('cancelling with nothing going on keeps the worker', () => {
    const { worker, ask, port } = start()
    ask(1)
    port().reply({ type: 'answer', answer: 10 })
    worker.cancel()
    ask(2)
    expect(Echo.open.length).toBe(1)
  })
  test('failures and crashes are told; after a crash the next question has a new worker', () => {
    const { ask, heard, port } = start()
    ask(1)
    port().reply({ type: 'failed', message: 'No.' })
    ask(2)
    port().onerror?.({ message: 'Out of memory', preventDefault: () => undefined } as ErrorEvent)
    ask(3)
    port().reply({ type: 'answer', answer: 30 })
    expect(heard).toEqual(['No.', 'Out of memory', 30])
    expect(Echo.open.length).toBe(2)
  })
})

test('canonical texts do not depend on the order of keys, and keep that of lists', async () => {
  expect(canonical({ b: [2, 1], a: { d: 1, c: undefined } })).toBe('{"a":{"d":1},"b":[2,1]}')
  expect(await sha256('')).toMatch(/^e3b0c44298fc1c149afbf4c8996fb924/)
})
