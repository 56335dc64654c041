/** Devices that wait until what they sent has arrived, and packets that are sent again after a time-out. */
import { constant, MAX_READY_ON_DEVICE } from '@hivemind/swarm'
import { describe, expect, test } from 'vitest'
import { off, queue } from '../../test/queues.ts'
import { plainFleet, profileOf, tier, workflowOf } from '../../test/workflows.ts'
import { buildModel } from '../model/build.ts'
import type { Model } from '../model/model.ts'
import { simulate } from '../simulate.ts'

// 1 MB takes 5 ms of the air
const link = { delayMs: 10, bandwidthMbps: 1600 }

describe('a device that awaits arrivals', () => {
  const stream = (awaitsArrival: boolean) =>
    queue('cloud', 1, { gap: constant(100), bytes: 1e6, items: 50, link, awaitsArrival })

  test('a sensor goes on with its next item when it knows that the last one is there', () => {
    const { execTimeMs, latencyMs } = simulate(stream(true), { seed: 1 })
    // each item after its pause: the air, and the delay there and back; of the last one, and its task, no way back
    expect(execTimeMs).toBeLessThan(50 * (100 + 5 + 20) - 10 + 1)
    expect(execTimeMs).toBeGreaterThan(50 * (100 + 5 + 20) - 10 + 1 - 100)
    expect(latencyMs.p99).toBeCloseTo(5 + 10 + 1, 6)
    expect(simulate(stream(false), { seed: 1 }).execTimeMs).toBeLessThan(50 * 100 + 16)
  })

  test('of small items, several are on their way at once', () => {
    const far = { delayMs: 1000, bandwidthMbps: 1e6 }
    const given = { gap: constant(10), items: 110, link: far, awaitsArrival: true }
    // eleven items of 100 kB have more than 1 MiB: so many for each round trip
    const { execTimeMs } = simulate(queue('cloud', 1, { ...given, bytes: 1e5 }), { seed: 1 })
    expect(off(execTimeMs, 9 * 2000 + 110 + 1000)).toBeLessThan(0.01)
  })

  /** An item every 20 ms for a task of 15 ms on the device, whose output takes 5 ms of the air. */
  function chain(awaitsArrival: boolean, outputs: number): Model {
    const workflow = workflowOf({
      sense: {},
      work: { reads: ['senseOut'], parents: ['sense'] },
      keep: { reads: ['workOut'], parents: ['work'], writes: null },
    })
    const built = buildModel({
      workflow,
      placement: { sense: 'edge', work: 'edge', keep: 'cloud' },
      fleet: plainFleet(1, { link, awaitsArrival }),
      profile: profileOf({ sense: tier(0), work: tier(15, 1e6, outputs), keep: tier(0) }),
      itemsPerDevice: 40,
    })
    return { ...built, tasks: built.tasks.map((task) => (task.gap ? { ...task, gap: constant(20) } : task)) }
  }

  test('a task holds its server until its output is acknowledged', () => {
    const { perTask, execTimeMs } = simulate(chain(true, 1), { seed: 1 })
    // 40 ms for each item: 15, 5 on the air, 20 there and back; items come twice as fast, until the sensor waits too
    expect(off(execTimeMs, 40 * 40)).toBeLessThan(0.03)
    expect(perTask.work?.p99Ms).toBeLessThan((MAX_READY_ON_DEVICE + 2) * 40)
    expect(perTask.work?.p99Ms).toBeGreaterThan(MAX_READY_ON_DEVICE * 40)
    expect(simulate(chain(false, 1), { seed: 1 }).perTask.work?.p99Ms).toBeCloseTo(15, 6)
  })

  test('a sensor runs no further ahead of its device than that many invocations wait there', () => {
    const overloaded = (awaitsArrival: boolean) => {
      const model = chain(awaitsArrival, 1)
      const local = model.tasks.map((task) => ({ ...task, outputBytes: constant(1) }))
      const slow = local.map((task) => (task.name === 'work' ? { ...task, service: constant(100) } : task))
      return simulate({ ...model, link: { ...model.link, delayMs: 0 }, tasks: slow }, { seed: 1 })
    }
    const [held, free] = [overloaded(true), overloaded(false)]
    // The device works as long; its items wait less.
    expect(off(held.execTimeMs, free.execTimeMs)).toBeLessThan(0.01)
    expect(free.perTask.work?.p99Ms).toBeGreaterThan(30 * 80)
    expect(off(held.perTask.work?.p99Ms ?? 0, (MAX_READY_ON_DEVICE + 1) * 100)).toBeLessThan(0.1)
  })

  test('what is filtered out need not arrive', () => {
    // one of two items goes on: 15 and 40 ms in turn, for two items in 40 ms
    const { execTimeMs } = simulate(chain(true, 0.5), { seed: 1 })
    expect(off(execTimeMs, 20 * 55)).toBeLessThan(0.05)
  })
})

describe('time-outs of lost packets', () => {
  const run = (gapMs: number, conditions: { loss: number; retransmitMs?: number }) => {
    const model = queue('cloud', 0, { gap: constant(gapMs), bytes: 1000, items: 20_000 })
    return simulate(model, { seed: 1, conditions }).latencyMs
  }

  test('a packet that is lost once waits 200 ms, twice 600', () => {
    // 200 for one loss, 400 more for the next: the sum over n of 200 * 2^n * loss^(n+1)
    const { mean, p99 } = run(5000, { loss: 0.1, retransmitMs: 200 })
    expect(off(mean, (200 * 0.1) / (1 - 2 * 0.1))).toBeLessThan(0.05)
    expect(p99).toBeGreaterThan(199)
    expect(p99).toBeLessThan(601)
    expect(run(5000, { loss: 0.1 }).p99).toBeLessThan(1)
  })

  test('what follows waits, too', () => {
    const alone = run(5000, { loss: 0.01, retransmitMs: 200 }).mean
    // of the items every 20 ms nine come while one waits, and wait for 100 ms on average
    const behind = run(20, { loss: 0.01, retransmitMs: 200 }).mean
    expect(behind / alone).toBeGreaterThan(4)
    expect(behind / alone).toBeLessThan(7)
  })

  const lossy = (gapMs: number, loss: number, items: number) => {
    const model = queue('cloud', 0, { gap: constant(gapMs), bytes: 1000, items, awaitsArrival: true })
    return simulate(model, { seed: 1, conditions: { loss, retransmitMs: 200 } })
  }

  test('a sensor that awaits arrivals goes on while a packet is lost', () => {
    // ten items in 200 ms
    expect(off(lossy(20, 0.01, 5000).execTimeMs, 5000 * 20)).toBeLessThan(0.01)
  })

  test('until too many items are on their way', () => {
    // 64 items in 64 of the 200 ms, for each of the two packets of an item that may be lost
    expect(off(lossy(1, 0.0004, 100_000).execTimeMs, 100_000 * (1 + 2 * 0.0004 * (200 - 64)))).toBeLessThan(
      0.1,
    )
  })

  test('a time-out below 0 is refused', () => {
    expect(() => run(100, { loss: 0.1, retransmitMs: -1 })).toThrow(
      /'retransmitMs' must be at least 0, not -1/,
    )
  })
})
