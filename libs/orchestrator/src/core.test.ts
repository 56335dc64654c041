/** What a run means, one rule at a time: small workflows through the run, the devices and the sessions in virtual time. */
import type { Plan } from '@hivemind/synthesis'
import { describe, expect, test } from 'vitest'
import type { Behaviour } from '../test/oracle.ts'
import { planOf } from '../test/plans.ts'
import { rng } from '../test/random-plan.ts'
import { CALM, runWorld, type WorldOptions, type WorldResult } from '../test/world.ts'
import type { CoreEffect, CoreEvent, PartedRef } from './core/events.ts'
import { type CorePlan, compileForDevice, compileForService } from './core/plan.ts'
import { restore, snapshot } from './core/snapshot.ts'
import { type CoreOptions, newRunState } from './core/state.ts'
import { step } from './core/step.ts'
import { inputsOf } from './inputs.ts'
import { WorkFailure } from './service/ports.ts'

const DEVICES = ['d1', 'd2']
/** Sensors called `cam` emit so many items; every other call emits one. */
const camera =
  (items: number): Behaviour =>
  (task) =>
    task === 'cam' ? items : 1

const run = (
  plan: Plan,
  behaviour: Behaviour = camera(3),
  { devices = DEVICES, seed = 1, ...options }: WorldOptions & { devices?: string[]; seed?: number } = {},
): Promise<WorldResult> => runWorld(plan, devices, behaviour, rng(seed), CALM, options)

/** Calls in the order in which they began, `task device/seq`. */
const began = ({ work }: WorldResult, task?: string): string[] =>
  work.flatMap((note) =>
    note.phase === 'begin' && (task === undefined || note.task === task)
      ? [`${note.task} ${note.device}/${note.seq}`]
      : [],
  )
const moment = ({ work }: WorldResult, phase: 'begin' | 'end', key: string): number =>
  work.find((note) => note.phase === phase && note.key === key)?.at ?? Number.NaN
const keysOf = ({ outputs }: WorldResult): string[] =>
  outputs.map(({ device, seq }) => `${device}/${seq}`).sort()

/** The core alone, told event by event. */
function core(plan: Plan, devices = DEVICES) {
  const own = devices.map((name) => ({ name, class: 'drone' }))
  return coreOn(compileForService(plan, own))
}

function coreOn(plan: CorePlan, options: CoreOptions = {}) {
  const state = newRunState(plan, options)
  const tell = (event: CoreEvent): CoreEffect[] => {
    const effects: CoreEffect[] = []
    step(state, event, effects)
    return effects
  }
  return { state, tell }
}

describe('how often a task is called', () => {
  test('for every item of every device; behind a barrier once, with all items in order', async () => {
    const plan = planOf({
      cam: { sensor: true },
      see: { after: ['cam'] },
      merge: { after: ['see'], directives: { synchronize: { kind: 'all' } } },
      print: { after: ['merge'] },
    })
    const result = await run(plan)
    expect(result.outcome).toMatchObject({ state: 'succeeded', losses: [] })
    expect(began(result, 'see')).toHaveLength(6)
    expect([began(result, 'merge'), began(result, 'print')]).toEqual([['merge */0'], ['print */0']])
    const collected = result.journal.filter(({ type }) => type === 'item').length
    expect(collected).toBe(6 + 6 + 2)
  })

  test('an object goes along with every item of a stream', async () => {
    const plan = planOf({ cam: { sensor: true }, map: {}, both: { after: ['cam', 'map'] } })
    const result = await run(plan)
    expect(keysOf(result)).toEqual(['d1/0', 'd1/1', 'd1/2', 'd2/0', 'd2/1', 'd2/2'])
    expect(began(result, 'map')).toHaveLength(2)
  })

  test('a filtered stream keeps its numbers, so that joins below line up', async () => {
    const plan = planOf({
      cam: { sensor: true },
      filter: { after: ['cam'], on: 'edge' },
      join: { after: ['cam', 'filter'] },
    })
    const result = await run(plan, (task, _, seq) => (task === 'cam' ? 5 : task === 'filter' ? seq % 2 : 1))
    expect(keysOf(result)).toEqual(['d1/1', 'd1/3', 'd2/1', 'd2/3'])
  })

  test('a pin keeps a task, and what comes of it, to a device', async () => {
    const plan = planOf({
      cam: { sensor: true },
      near: { after: ['cam'], on: 'edge', directives: { place: { tier: 'edge', target: 'device-2' } } },
      see: { after: ['cam', 'near'] },
    })
    const result = await run(plan, camera(3), { devices: ['device-1', 'device-2'] })
    expect(keysOf(result)).toEqual(['device-2/0', 'device-2/1', 'device-2/2'])
  })

  test('a pin to a device that the run does not have breaks it', () => {
    const plan = planOf({
      cam: { sensor: true, directives: { place: { tier: 'edge', target: 'device-7' } } },
    })
    expect(() => core(plan)).toThrow(
      "Task 'cam' is pinned to device-7, which this run does not have: it has d1, d2.",
    )
    expect(() => compileForService(planOf({ cam: { sensor: true } }), [])).toThrow(
      "Task 'cam' runs once for each device, and this run has no devices.",
    )
  })

  test.each([
    [{ kind: 'any' } as const, 1],
    [{ kind: 'count', count: 3 } as const, 3],
  ])('the barrier %j opens early, and says what came after', async (synchronize, size) => {
    const plan = planOf({ cam: { sensor: true }, first: { after: ['cam'], directives: { synchronize } } })
    const result = await run(plan, camera(5))
    expect(result.outcome).toMatchObject({ state: 'succeeded', losses: [] })
    const [input] = result.work.find(({ task }) => task === 'first')?.inputs ?? []
    expect(input?.split(',')).toHaveLength(size)
    const texts = result.events.flatMap((event) => (event.type === 'log' ? [event.line.text] : []))
    expect(texts.join(' ')).toContain(`had opened already when ${10 - size} more instances came`)
  })

  test('a barrier that waits for more than there is goes on with what came, and says so', async () => {
    const plan = planOf({
      cam: { sensor: true },
      late: { after: ['cam'], directives: { synchronize: { kind: 'count', count: 9 } } },
    })
    const { outcome } = await run(plan, camera(1))
    expect(outcome).toMatchObject({
      state: 'succeeded',
      losses: ["The barrier of 'late' ran 7 instances short: no more came."],
    })
  })

  test('below a barrier, a parent that runs on every device comes as one list', async () => {
    const plan = planOf({
      cam: { sensor: true },
      sum: { after: ['cam'], directives: { synchronize: { kind: 'all' } } },
      report: { after: ['sum', 'cam'] },
    })
    const result = await run(plan, camera(2))
    const report = result.work.find(({ task }) => task === 'report')
    expect(report?.inputs.map((input) => input.split(',').length)).toEqual([1, 4])
  })

  test('what the run is given reaches roots; what is missing is nothing', () => {
    const plan = planOf({ root: {} })
    const [root] = plan.tasks
    if (!root) throw new Error('There is no task.')
    root.dataIn = ['given', 'absent']
    const given = { kind: 'inline', type: 'text/plain', bytes: new Uint8Array([7]) } as const
    expect(inputsOf(plan, root, [], { given })).toEqual({
      given: { kind: 'one', ref: given },
      absent: { kind: 'none' },
    })
  })
})

describe('kinds', () => {
  const twice = (plan: Plan, seqs: [number, number]) => {
    const { tell } = core(plan, ['d1'])
    const effects = tell({ type: 'start', at: 0 })
    const own = effects.find((effect) => effect.type === 'dispatch')
    if (own?.type !== 'dispatch') throw new Error('Nothing was dispatched.')
    const { task, device, delivery } = own
    tell({ type: 'item', at: 1, task, device, seq: seqs[0], delivery, ref: null })
    return tell({ type: 'item', at: 1, task, device, seq: seqs[1], delivery, ref: null }).at(-1)
  }

  test('an object that comes twice is the error of its task', () => {
    expect(twice(planOf({ map: {} }), [0, 1])).toEqual({
      type: 'end',
      state: 'failed',
      message:
        "'map' on d1, item 0 emitted 2 values, but its output 'mapOut' is one object. Return a list, or write Data(mapOut, kind='stream').",
    })
  })

  test('several items for one of a stream fail the run, with a hint', () => {
    const { tell } = core(planOf({ cam: { sensor: true, on: 'edge' }, split: { after: ['cam'] } }), ['d1'])
    tell({ type: 'start', at: 0 })
    const effects = tell({ type: 'item', at: 1, task: 0, device: 0, seq: 0, ref: null })
    const own = effects.find((effect) => effect.type === 'dispatch')
    if (own?.type !== 'dispatch') throw new Error('Nothing was dispatched.')
    const end = tell({ type: 'done', at: 2, task: 1, device: 0, seq: 0, delivery: own.delivery, items: 2 })
    expect(end.at(-1)).toMatchObject({ type: 'end', state: 'failed' })
    expect(JSON.stringify(end.at(-1))).toMatch(/'split'.*at most one for each; return a list/)
  })

  test('an answer that comes twice counts once', () => {
    const { tell, state } = core(planOf({ map: {} }), ['d1', 'd2'])
    const own = tell({ type: 'start', at: 0 }).find((effect) => effect.type === 'dispatch')
    if (own?.type !== 'dispatch') throw new Error('Nothing was dispatched.')
    const { task, device, delivery } = own
    const done = { type: 'done', at: 2, task, device, seq: 0, delivery, items: 0 } as const
    expect(tell(done)).not.toEqual([])
    expect(tell(done)).toEqual([])
    expect(state.tasks[0]?.done).toBe(1)
  })
})

test('a scattered result gives each device its part; one without a part is not called', () => {
  const plan = planOf({
    cam: { sensor: true },
    decide: { after: ['cam'], directives: { synchronize: { kind: 'all' } } },
    move: { after: ['decide'], on: 'edge', directives: { place: { tier: 'edge', target: 'all' } } },
  })
  const { tell } = core(plan)
  tell({ type: 'start', at: 0 })
  tell({ type: 'done', at: 1, task: 0, device: 0, seq: 0, host: 0, items: 0 })
  const dispatch = tell({ type: 'done', at: 1, task: 0, device: 1, seq: 0, host: 1, items: 0 }).find(
    (effect) => effect.type === 'dispatch',
  )
  if (dispatch?.type !== 'dispatch') throw new Error('Nothing was dispatched.')
  const part = (byte: number) =>
    ({ kind: 'inline', type: 'text/plain', bytes: new Uint8Array([byte]) }) as const
  const ref: PartedRef = { kind: 'parted', whole: part(0), parts: { d2: part(2) } }
  const { task, delivery } = dispatch
  tell({ type: 'item', at: 2, task, device: -1, seq: 0, delivery, ref })
  const effects = tell({ type: 'done', at: 3, task, device: -1, seq: 0, delivery, items: 1 })
  expect(effects.filter(({ type }) => type === 'forward')).toMatchObject([{ lane: 1, ref: part(2) }])
})

describe('when a task starts', () => {
  test('each edge node has slots of its own, and its next call is for one of its devices', () => {
    const plan = planOf({ cam: { sensor: true }, see: { after: ['cam'], on: 'edge-node' } })
    const devices = ['d1', 'd2', 'd3', 'd4'].map((name) => ({ name, class: 'drone' }))
    const compiled = compileForService(plan, devices, 2)
    const { state, tell } = coreOn(compiled, { slotsPerFunction: 1 })
    const [cam, see] = ['cam', 'see'].map((name) => compiled.taskByName.get(name) as number) as [
      number,
      number,
    ]
    tell({ type: 'start', at: 0 })
    const dispatched = (effects: CoreEffect[]) =>
      effects.flatMap((effect) => (effect.type === 'dispatch' ? [effect] : []))
    const first = [0, 1, 2, 3].flatMap((device) =>
      dispatched(tell({ type: 'item', at: 1, task: cam, device, seq: 0, ref: null })),
    )
    // the other two wait for the node of their own
    expect(first.map(({ device }) => device)).toEqual([0, 1])
    const copy = restore(compiled, snapshot(state))
    expect(copy.calls).toEqual(state.calls)
    const [, second] = first
    if (!second) throw new Error('Nothing was dispatched.')
    const { delivery } = second
    const next = dispatched(tell({ type: 'done', at: 2, task: see, device: 1, seq: 0, delivery, items: 0 }))
    expect(next.map(({ device }) => device)).toEqual([3])
  })

  test('a child of an object starts when its parent has ended', async () => {
    const result = await run(planOf({ map: { on: 'edge' }, plan: { after: ['map'], on: 'edge' } }))
    expect(moment(result, 'begin', 'plan d1 0')).toBeGreaterThanOrEqual(moment(result, 'end', 'map d1 0'))
  })

  test('with Overlap it starts as soon as the object is there, and its sibling waits all the same', () => {
    const sketches = { map: {}, plan: { after: ['map'] }, show: { after: ['map'] } }
    const { tell } = core(planOf(sketches, [{ kind: 'overlap', a: 'map', b: 'plan' }]), ['d1'])
    const own = tell({ type: 'start', at: 0 }).find((effect) => effect.type === 'dispatch')
    if (own?.type !== 'dispatch') throw new Error('Nothing was dispatched.')
    const { task, device, delivery } = own
    const started = (effects: CoreEffect[]) =>
      effects.flatMap((effect) => (effect.type === 'dispatch' ? [effect.task] : []))
    expect(started(tell({ type: 'item', at: 1, task, device, seq: 0, delivery, ref: null }))).toEqual([1])
    expect(started(tell({ type: 'done', at: 2, task, device, seq: 0, delivery, items: 1 }))).toEqual([2])
  })

  test('the same on a device, where both are reached by one wire', () => {
    const on = 'edge'
    const plan = planOf({ map: { on }, plan: { after: ['map'], on }, show: { after: ['map'], on } }, [
      { kind: 'overlap', a: 'map', b: 'plan' },
    ])
    const lane = { name: 'd1', class: 'drone' }
    const { tell } = coreOn(compileForDevice(plan, lane, [lane]))
    const own = tell({ type: 'start', at: 0 }).find((effect) => effect.type === 'dispatch')
    if (own?.type !== 'dispatch') throw new Error('Nothing was dispatched.')
    const of = { task: own.task, device: 0, seq: 0, ref: null }
    tell({ type: 'item', at: 1, ...of, delivery: own.delivery })
    expect(tell({ type: 'reached', at: 1, ...of, child: 2 })).toEqual([])
    expect(tell({ type: 'reached', at: 1, ...of, child: 1 })).toMatchObject([{ type: 'dispatch', task: 1 }])
    const ended = tell({ type: 'done', at: 2, ...of, delivery: own.delivery, items: 1 })
    expect(ended.filter(({ type }) => type === 'dispatch')).toMatchObject([{ task: 2 }])
  })

  test.each(['edge', 'cloud'] as const)('Serial, %s: in order for an item, never together', async (on) => {
    const plan = planOf({ cam: { sensor: true }, a: { after: ['cam'], on }, b: { after: ['cam'], on } }, [
      { kind: 'serial', a: 'a', b: 'b' },
    ])
    for (let seed = 1; seed <= 10; seed++) {
      const result = await run(plan, camera(4), { seed, cloudSlots: 8, slots: 4 })
      for (const device of DEVICES)
        for (let seq = 0; seq < 4; seq++)
          expect(moment(result, 'begin', `b ${device} ${seq}`)).toBeGreaterThanOrEqual(
            moment(result, 'end', `a ${device} ${seq}`),
          )
    }
  })

  test('with one slot the higher priority goes first', async () => {
    const plan = planOf({ low: {}, high: { directives: { schedule: { priority: 5 } } } })
    const result = await run(plan, () => 1, { cloudSlots: 1 })
    expect(began(result).map((call) => call.split(' ')[0])).toEqual(['high', 'high', 'low', 'low'])
  })

  test.each(['edge', 'cloud'] as const)(
    'a task that keeps state takes its items in order, %s',
    async (on) => {
      const plan = planOf({
        cam: { sensor: true },
        work: { after: ['cam'] },
        sum: { after: ['work'], on, state: true },
      })
      for (let seed = 1; seed <= 10; seed++) {
        const result = await run(plan, camera(5), { seed, cloudSlots: 8, slots: 4 })
        for (const device of DEVICES)
          expect(began(result, 'sum').filter((call) => call.includes(device))).toEqual(
            [0, 1, 2, 3, 4].map((seq) => `sum ${device}/${seq}`),
          )
      }
    },
  )

  test('what cannot start within its deadline is dropped, counted and a loss; what ends late is counted', async () => {
    const deadline = { dimension: 'time', value: 1, text: '1ms' } as const
    const plan = planOf({
      cam: { sensor: true },
      quick: { after: ['cam'], directives: { schedule: { deadline, onMiss: 'drop' } } },
    })
    const { events, outcome, outputs } = await run(plan, camera(5), { cloudSlots: 1 })
    const quick = events
      .flatMap((event) => (event.type === 'task' && event.task.task === 'quick' ? [event.task] : []))
      .at(-1)
    expect(quick?.dropped).toBe(outcome.losses.length)
    expect(quick?.dropped).toBe(10 - outputs.length)
    expect(quick?.missed).toBeGreaterThan(quick?.dropped ?? 0)
    expect(outcome.losses[0]).toMatch(/'quick' on d\d, item \d was dropped: .* deadline of 1 ms/)
  })
})

describe('failures', () => {
  const failing = (kind: 'exception' | 'crash', times: number): Behaviour => {
    let left = times
    return (task, device) => {
      if (task === 'work' && device === 'd1' && left > 0) {
        left -= 1
        throw new WorkFailure(kind, 'Boom.', 'stack')
      }
      return 1
    }
  }
  const work = (restore: 'respawn' | 'ignore' | 'checkpoint', on: 'edge' | 'cloud') =>
    planOf({ cam: { sensor: true }, work: { after: ['cam'], on, directives: { restore } } })

  describe.each(['edge', 'cloud'] as const)('%s', (on) => {
    test('an exception fails the run at once, with its task', async () => {
      const { outcome } = await run(work('respawn', on), failing('exception', 1))
      expect(outcome).toMatchObject({ state: 'failed', message: "'work' on d1, item 0 failed: Boom." })
    })

    test('ignored, it is a loss', async () => {
      const result = await run(work('ignore', on), failing('exception', 1))
      expect(result.outcome).toMatchObject({
        state: 'succeeded',
        losses: ["'work' on d1, item 0 was given up: Boom."],
      })
      expect(keysOf(result)).toEqual(['d2/0'])
    })

    test('a crash is tried three times', async () => {
      expect((await run(work('respawn', on), failing('crash', 2))).outcome.state).toBe('succeeded')
      expect((await run(work('respawn', on), failing('crash', 3))).outcome.state).toBe('failed')
      const kept = (await run(work('checkpoint', on), failing('crash', 3))).outcome
      expect([kept.state, kept.losses.length]).toEqual(['succeeded', 1])
    })
  })

  test('an agent that is lost and comes back goes on, and nothing counts twice', async () => {
    const plan = planOf({ cam: { sensor: true }, see: { after: ['cam'], on: 'edge' } })
    for (const at of [5, 20, 40, 60]) {
      const result = await run(plan, camera(4), { kills: [{ device: 'd1', at, returns: true }] })
      expect(result.outcome).toMatchObject({ state: 'succeeded', losses: [] })
      expect(keysOf(result)).toEqual(
        DEVICES.flatMap((device) => [0, 1, 2, 3].map((seq) => `${device}/${seq}`)),
      )
    }
  })

  test('the work of one that does not come back moves to another', async () => {
    const plan = planOf({ cam: { sensor: true }, see: { after: ['cam'], on: 'edge' } })
    const result = await run(plan, camera(4), { kills: [{ device: 'd1', at: 20, returns: false }] })
    expect(result.outcome).toMatchObject({
      state: 'succeeded',
      losses: ["Device d1 was given up; the work of 'cam', 'see' for d1 moves to d2."],
    })
    expect(keysOf(result)).toHaveLength(8)
  })

  test('with Restore(repartition) the items that are left are divided among the others', async () => {
    const directives = { restore: 'repartition' } as const
    const plan = planOf({
      cam: { sensor: true, directives },
      see: { after: ['cam'], on: 'edge', directives },
    })
    const kills = [{ device: 'd1', at: 8, returns: true }]
    const result = await run(plan, camera(5), { devices: ['d1', 'd2', 'd3'], kills })
    const hosts = result.work
      .filter(({ task, device }) => task === 'see' && device === 'd1')
      .map(({ where }) => where)
    expect(hosts).toEqual(expect.arrayContaining(['d2', 'd3']))
    expect(keysOf(result)).toHaveLength(15)
  })

  test('with Restore(repartition) a device of three times the capacity takes three times the items', async () => {
    const directives = { restore: 'repartition' } as const
    const plan = planOf({ cam: { sensor: true, directives } })
    const kills = [{ device: 'd1', at: 1, returns: true }]
    const sensed = async (capacities: Record<string, number>) => {
      const result = await run(plan, camera(40), {
        ...{ devices: ['d1', 'd2', 'd3'], maxItems: 40, kills },
        wrap: (ports) => ({
          ...ports,
          onFleet: (handler) => {
            for (const [device, capacity] of Object.entries(capacities))
              handler({ type: 'capacity', device, capacity })
            return ports.onFleet(handler)
          },
        }),
      })
      expect(keysOf(result)).toHaveLength(120)
      const shares = result.journal.flatMap((event) =>
        event.type === 'done' && event.device === 0 ? [[event.host, event.items]] : [],
      )
      return Object.fromEntries(shares)
    }
    // The first device ends at the number at which the second one begins.
    expect(await sensed({})).toEqual({ 1: 20, 2: 40 })
    expect(await sensed({ d2: 6, d3: 2 })).toEqual({ 1: 30, 2: 40 })
    expect(await sensed({ d2: 1, d3: 3 })).toEqual({ 2: 30, 1: 40 })
  })

  test('losing the only device for good says what was lost', async () => {
    const plan = planOf({ cam: { sensor: true } })
    const kills = [{ device: 'd1', at: 2, returns: false }]
    const { outcome } = await run(plan, camera(5), { devices: ['d1'], kills })
    expect(outcome).toMatchObject({
      state: 'failed',
      message:
        "Device d1 was lost and no other device is left: the work of 'cam' for d1 could not be finished.",
    })
  })

  test('cancelling ends the run', async () => {
    const plan = planOf({ cam: { sensor: true } })
    const { outcome } = await runWorld(plan, DEVICES, camera(5), rng(1), { ...CALM, cancelAt: 3 })
    expect(outcome.state).toBe('cancelled')
  })
})
