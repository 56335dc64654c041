/** What becomes of work that a lost device had done, and another beginning does once more: the core alone, event by event. */
import type { Plan } from '@hivemind/synthesis'
import { expect, test } from 'vitest'
import { planOf } from '../test/plans.ts'
import type { CoreEffect, CoreEvent } from './core/events.ts'
import { compileForDevice, compileForService } from './core/plan.ts'
import { newRunState } from './core/state.ts'
import { step } from './core/step.ts'

type Told = CoreEvent extends infer Event ? (Event extends CoreEvent ? Omit<Event, 'at'> : never) : never

/** A core in the service, told about tasks by name. */
function core(plan: Plan, names: string[], options = {}) {
  const compiled = compileForService(
    plan,
    names.map((name) => ({ name, class: 'drone' })),
  )
  const state = newRunState(compiled, options)
  const effects: CoreEffect[] = []
  let at = 0
  const tell = (event: Told): CoreEffect[] => {
    const from = effects.length
    at += 1
    step(state, { ...event, at } as CoreEvent, effects)
    return effects.slice(from)
  }
  const id = (task: string): number => compiled.taskByName.get(task) as number
  const end = () => effects.find((effect) => effect.type === 'end')
  const losses = (): string[] =>
    effects.flatMap((effect) => (effect.type === 'note' && effect.loss ? [effect.text] : []))
  return { state, tell, id, end, losses }
}

test('an object that does not come again takes with it what waits for it below', () => {
  const plan = planOf({
    cam: { on: 'edge', sensor: true },
    once: { on: 'edge' },
    see: { on: 'edge', after: ['cam', 'once'] },
  })
  const { tell, id, end, losses } = core(plan, ['d1'])
  const of = (task: string) => ({ task: id(task), device: 0, seq: 0 })
  tell({ type: 'start' })
  tell({ type: 'item', ...of('once'), ref: null })
  tell({ type: 'done', ...of('once'), items: 1 })
  tell({ type: 'item', ...of('cam'), ref: null })
  tell({ type: 'done', ...of('cam'), items: 1 })
  tell({ type: 'deviceLost', device: 0, returns: true, message: 'Gone.' })
  tell({ type: 'deviceUp', device: 0, message: 'Back.' })
  tell({ type: 'failed', ...of('once'), kind: 'deadline', message: 'Late.', detail: '', items: 0 })
  expect(end()).toMatchObject({ state: 'succeeded' })
  expect(losses()).toEqual([
    "'once' on d1, item 0 failed when begun anew: Late.",
    "'see' on d1, item 0 was given up: its input did not come again after the device was lost.",
  ])
})

/** Effects of one type, with the names of devices. */
const lanesOf = (effects: CoreEffect[], type: 'startLane' | 'stopLane'): string[] =>
  effects.flatMap((effect) => (effect.type === type ? [`d${effect.lane + 1} on d${effect.host + 1}`] : []))

test('a lane moves from a device that lives only when that device has stopped', () => {
  const plan = planOf({
    cam: { on: 'edge', sensor: true, directives: { restore: 'repartition' } },
    track: { on: 'edge', after: ['cam'], state: true },
  })
  const { tell, id } = core(plan, ['d1', 'd2'])
  tell({ type: 'start' })
  const failed = tell({
    ...{ type: 'failed', task: id('cam'), device: 0, seq: 0, items: 0 },
    ...{ kind: 'crash', message: 'Boom.', detail: '' },
  })
  expect(lanesOf(failed, 'stopLane')).toEqual(['d1 on d1'])
  expect(lanesOf(failed, 'startLane')).toEqual([])
  const stopped = tell({ type: 'laneStopped', lane: 0, host: 0 })
  expect(lanesOf(stopped, 'startLane')).toEqual(['d1 on d2'])
})

test('a lane that waits for a device to stop starts when that device is lost', () => {
  const plan = planOf({ cam: { on: 'edge', sensor: true, directives: { restore: 'repartition' } } })
  const { tell, id } = core(plan, ['d1', 'd2'])
  tell({ type: 'start' })
  tell({
    ...{ type: 'failed', task: id('cam'), device: 0, seq: 0, items: 0 },
    ...{ kind: 'crash', message: 'Boom.', detail: '' },
  })
  const lost = tell({ type: 'deviceLost', device: 0, returns: true, message: 'Gone.' })
  expect(lanesOf(lost, 'startLane')).toEqual(['d1 on d2'])
})

test('what was given up with its device does not come any more: those below went on without it', () => {
  const plan = planOf({
    cam: { on: 'edge', sensor: true },
    see: { on: 'edge', after: ['cam'], directives: { restore: 'ignore' } },
    count: { on: 'cloud', after: ['see'], state: true },
  })
  const { tell, id, end } = core(plan, ['d1'])
  const at = (task: string, seq = 0) => ({ task: id(task), device: 0, seq })
  tell({ type: 'start' })
  tell({ type: 'item', ...at('cam'), ref: null })
  tell({ type: 'deviceLost', device: 0, returns: true, message: 'Gone.' })
  tell({ type: 'deviceUp', device: 0, message: 'Back.' })
  tell({ type: 'item', ...at('see'), ref: null })
  tell({ type: 'done', ...at('cam'), items: 1 })
  expect(end()).toMatchObject({ state: 'succeeded' })
})

test('the device of a Serial pair gets what the first task reads in order', () => {
  const plan = planOf(
    {
      cam: { on: 'edge', sensor: true },
      far: { on: 'cloud', after: ['cam'] },
      first: { on: 'edge', after: ['far'] },
      second: { on: 'edge', after: ['cam'] },
    },
    [{ kind: 'serial', a: 'first', b: 'second' }],
  )
  const { state, tell, id } = core(plan, ['d1'])
  const forwarded = (effects: CoreEffect[]): number[] =>
    effects.flatMap((effect) => (effect.type === 'forward' ? [effect.seq] : []))
  tell({ type: 'start' })
  for (const seq of [0, 1]) tell({ type: 'item', task: id('cam'), device: 0, seq, ref: null })
  const far = (seq: number): Told[] => [
    { type: 'item', task: id('far'), device: 0, seq, ref: null, delivery: seq + 1 },
    { type: 'done', task: id('far'), device: 0, seq, items: 1, delivery: seq + 1 },
  ]
  expect(state.lastDelivery).toBe(2)
  expect(far(1).flatMap((event) => forwarded(tell(event)))).toEqual([])
  expect(far(0).flatMap((event) => forwarded(tell(event)))).toEqual([0, 1])
})

test('the device of a task that takes turns in the whole swarm gets its inputs in order as well', () => {
  const plan = planOf(
    {
      cam: { on: 'edge', sensor: true },
      see: { on: 'edge', after: ['cam'] },
      first: { on: 'edge', after: ['see'] },
      track: { on: 'edge', after: ['first'], state: true },
      log: { on: 'cloud' },
    },
    [{ kind: 'serial', a: 'first', b: 'log', scope: 'swarm' }],
  )
  const { tell, id } = core(plan, ['d1'])
  const forwarded = (event: Told): number[] =>
    tell(event).flatMap((effect) => (effect.type === 'forward' ? [effect.seq] : []))
  const see = (seq: number): Told => ({ type: 'item', task: id('see'), device: 0, seq, ref: null })
  const done = (seq: number, items: number): Told => ({
    ...{ type: 'done', task: id('see'), device: 0, seq, items },
  })
  tell({ type: 'start' })
  for (const seq of [0, 1, 2, 3]) tell({ type: 'item', task: id('cam'), device: 0, seq, ref: null })
  expect(forwarded(see(3))).toEqual([])
  expect(forwarded(see(1))).toEqual([])
  expect(forwarded(see(0))).toEqual([0, 1])
  expect([done(0, 1), done(1, 1)].flatMap(forwarded)).toEqual([])
  // It sends nothing for item 2.
  expect(forwarded(done(2, 0))).toEqual([3])
})

test('turns of a whole swarm are the service’s: a device does not wait for what is held back there', () => {
  const plan = planOf(
    {
      cam: { on: 'edge', sensor: true },
      first: { on: 'edge', after: ['cam'] },
      second: { on: 'edge', after: ['cam'] },
    },
    [{ kind: 'serial', a: 'first', b: 'second', scope: 'swarm' }],
  )
  const devices = [{ name: 'd1', class: 'drone' }]
  const compiled = compileForDevice(plan, { name: 'd1', class: 'drone' }, devices)
  const state = newRunState(compiled)
  const effects: CoreEffect[] = []
  const id = (task: string): number => compiled.taskByName.get(task) as number
  step(state, { type: 'start', at: 0 }, effects)
  const reached = { type: 'reached', at: 1, task: id('cam'), device: 0, seq: 1, ref: null } as const
  step(state, { ...reached, child: id('second') }, effects)
  step(state, { ...reached, child: id('first') }, effects)
  const dispatched = effects.flatMap((effect) =>
    effect.type === 'dispatch' && effect.seq === 1 ? [effect.task] : [],
  )
  // It keeps the two apart all the same.
  expect(dispatched).toEqual([id('second')])
})

test('a run that begins without a device gives its work to another one, or ends with a sentence', () => {
  const plan = planOf({ cam: { on: 'edge', sensor: true } })
  const both = core(plan, ['d1', 'd2'])
  both.tell({ type: 'deviceLost', device: 0, returns: false, message: 'Gone.' })
  expect(lanesOf(both.tell({ type: 'start' }), 'startLane')).toEqual(['d1 on d2', 'd2 on d2'])
  const alone = core(plan, ['d1'])
  alone.tell({ type: 'deviceLost', device: 0, returns: false, message: 'Gone.' })
  alone.tell({ type: 'start' })
  expect(alone.end()).toMatchObject({
    state: 'failed',
    message:
      "Device d1 was lost and no other device is left: the work of 'cam' for d1 could not be finished.",
  })
})

test('a device that takes a lane over hears of inputs that have ended, also of tasks that are done', () => {
  const plan = planOf(
    {
      far: { on: 'cloud' },
      first: { on: 'edge', after: ['far'] },
      second: { on: 'edge', after: ['far'] },
    },
    [{ kind: 'serial', a: 'first', b: 'second' }],
  )
  const { tell, id } = core(plan, ['d1'])
  const at = (task: string) => ({ task: id(task), device: 0, seq: 0 })
  tell({ type: 'start' })
  tell({ type: 'item', ...at('far'), ref: null, delivery: 1 })
  tell({ type: 'done', ...at('far'), items: 1, delivery: 1 })
  tell({ type: 'item', ...at('first'), ref: null })
  tell({ type: 'done', ...at('first'), items: 1 })
  tell({ type: 'deviceLost', device: 0, returns: true, message: 'Gone.' })
  const back = tell({ type: 'deviceUp', device: 0, message: 'Back.' })
  const ends = back.flatMap((effect) => (effect.type === 'forwardEnd' ? [effect.child] : []))
  expect(ends).toEqual([id('first'), id('second')])
})

test('what a call had emitted before its device was lost is lost with it', () => {
  const plan = planOf({
    cam: { on: 'edge', sensor: true },
    see: { on: 'edge', after: ['cam'] },
    act: { on: 'edge', after: ['see'] },
  })
  const { tell, id, end, losses } = core(plan, ['d1'])
  const at = (task: string) => ({ task: id(task), device: 0, seq: 0 })
  tell({ type: 'start' })
  tell({ type: 'item', ...at('cam'), ref: null })
  tell({ type: 'item', ...at('see'), ref: null })
  tell({ type: 'deviceLost', device: 0, returns: true, message: 'Gone.' })
  tell({ type: 'deviceUp', device: 0, message: 'Back.' })
  tell({ type: 'failed', ...at('cam'), kind: 'deadline', message: 'Late.', detail: '', items: 0 })
  expect(end()).toMatchObject({ state: 'succeeded' })
  expect(losses().join('\n')).toMatch(
    /'see' on d1, item 0 was given up[^\n]*\n'act' on d1, item 0 was given up/,
  )
})

test('an object that was emitted early is not handed on when the call that began anew fails without it', () => {
  const plan = planOf(
    {
      once: { on: 'edge', directives: { restore: 'ignore' } },
      early: { on: 'edge', after: ['once'] },
      late: { on: 'edge', after: ['once'] },
    },
    [{ kind: 'overlap', a: 'once', b: 'early' }],
  )
  const { tell, id, end } = core(plan, ['d1'])
  const at = (task: string) => ({ task: id(task), device: 0, seq: 0 })
  tell({ type: 'start' })
  tell({ type: 'item', ...at('once'), ref: null })
  tell({ type: 'interrupted', message: 'The service was restarted.' })
  tell({ type: 'deviceUp', device: 0, message: 'Back.' })
  tell({ type: 'failed', ...at('once'), kind: 'crash', message: 'Boom.', detail: '', items: 0 })
  expect(end()).toMatchObject({ state: 'succeeded' })
})

test('work that is done once more takes its turn in the swarm like any other', () => {
  const plan = planOf(
    {
      cam: { on: 'edge', sensor: true },
      see: { on: 'edge', after: ['cam'] },
      act: { on: 'edge', after: ['see'] },
      log: { on: 'cloud', after: ['cam'] },
    },
    [{ kind: 'serial', a: 'see', b: 'log', scope: 'swarm' }],
  )
  const { tell, id } = core(plan, ['d1', 'd2'])
  const at = (task: string, device = 0, seq = 0) => ({ task: id(task), device, seq })
  const calls = (effects: CoreEffect[]): string[] =>
    effects.flatMap((effect) => (effect.type === 'dispatch' ? [`log d${effect.device + 1}`] : []))
  tell({ type: 'start' })
  tell({ type: 'item', ...at('cam'), ref: null })
  tell({ type: 'item', ...at('see'), ref: null })
  expect(calls(tell({ type: 'done', ...at('see'), items: 1 }))).toEqual(['log d1'])
  // `act` has not ended: `see` is done again for it, once `log` has ended.
  tell({ type: 'deviceLost', device: 0, returns: true, message: 'Gone.' })
  const back = tell({ type: 'deviceUp', device: 0, message: 'Back.' })
  expect(lanesOf(back, 'startLane')).toEqual([])
  const over = tell({ type: 'done', ...at('log'), items: 1, delivery: 1 })
  expect(lanesOf(over, 'startLane')).toEqual(['d1 on d1'])
  // While it is, no other `log` starts.
  tell({ type: 'item', ...at('cam', 1), ref: null })
  tell({ type: 'item', ...at('see', 1), ref: null })
  expect(calls(tell({ type: 'done', ...at('see', 1), items: 1 }))).toEqual([])
  expect(calls(tell({ type: 'done', ...at('see'), items: 1 }))).toEqual(['log d2'])
})

test('what a lost device was doing once more holds nobody up when nothing is left to do', () => {
  const plan = planOf(
    {
      cam: { on: 'edge', sensor: true },
      see: { on: 'edge', after: ['cam'] },
      log: { on: 'cloud', after: ['see'] },
    },
    [{ kind: 'serial', a: 'cam', b: 'log', scope: 'swarm' }],
  )
  const { tell, id, end } = core(plan, ['d1'])
  const of = (task: string) => ({ task: id(task), device: 0, seq: 0 })
  tell({ type: 'start' })
  tell({ type: 'item', ...of('cam'), ref: null })
  tell({ type: 'done', ...of('cam'), items: 1 })
  tell({ type: 'deviceLost', device: 0, returns: true, message: 'Gone.' })
  tell({ type: 'deviceUp', device: 0, message: 'Back.' })
  // `cam` is under way once more, for `see`, which ends before `cam` has said that it has ended.
  tell({ type: 'item', ...of('cam'), ref: null })
  tell({ type: 'item', ...of('see'), ref: null })
  tell({ type: 'done', ...of('see'), items: 1 })
  const lost = tell({ type: 'deviceLost', device: 0, returns: true, message: 'Gone.' })
  expect(lost).toContainEqual(expect.objectContaining({ type: 'dispatch', task: id('log') }))
  tell({ type: 'done', ...of('log'), items: 1, delivery: 1 })
  expect(end()).toMatchObject({ state: 'succeeded' })
})

test('what a device does once more is under way until its agent has heard that the service was killed', () => {
  const plan = planOf(
    {
      cam: { on: 'edge', sensor: true },
      see: { on: 'edge', after: ['cam'] },
      other: { on: 'edge' },
      log: { on: 'cloud', after: ['other'] },
    },
    [{ kind: 'serial', a: 'cam', b: 'log', scope: 'swarm' }],
  )
  const { tell, id } = core(plan, ['d1'])
  const of = (task: string) => ({ task: id(task), device: 0, seq: 0 })
  const calls = (effects: CoreEffect[]) => effects.filter(({ type }) => type === 'dispatch')
  tell({ type: 'start' })
  tell({ type: 'item', ...of('cam'), ref: null })
  tell({ type: 'done', ...of('cam'), items: 1 })
  tell({ type: 'deviceLost', device: 0, returns: true, message: 'Gone.' })
  tell({ type: 'deviceUp', device: 0, message: 'Back.' })
  tell({ type: 'item', ...of('other'), ref: null })
  expect(calls(tell({ type: 'done', ...of('other'), items: 1 }))).toEqual([])
  expect(calls(tell({ type: 'interrupted', message: 'Restarted.' }))).toEqual([])
})

test('a lane that goes on with a call waits for its turn in the swarm as well', () => {
  const plan = planOf(
    {
      cam: { on: 'edge', sensor: true },
      see: { on: 'edge', after: ['cam'] },
      use: { on: 'edge', after: ['see'] },
      act: { on: 'edge', after: ['cam'] },
    },
    [{ kind: 'serial', a: 'see', b: 'act', scope: 'swarm' }],
  )
  const { tell, id } = core(plan, ['d1', 'd2'])
  const end = (task: string, device: number): CoreEffect[] => {
    const own = { task: id(task), device, seq: 0 }
    return [...tell({ type: 'item', ...own, ref: null }), ...tell({ type: 'done', ...own, items: 1 })]
  }
  tell({ type: 'start' })
  for (const task of ['cam', 'see']) for (const device of [0, 1]) end(task, device)
  // On d1, `see` is needed once more, for `use`; on d2, `act` is under way.
  end('act', 0)
  end('use', 1)
  for (const device of [0, 1]) tell({ type: 'deviceLost', device, returns: true, message: 'Gone.' })
  expect(lanesOf(tell({ type: 'deviceUp', device: 0, message: 'Back.' }), 'startLane')).toEqual(['d1 on d1'])
  expect(lanesOf(tell({ type: 'deviceUp', device: 1, message: 'Back.' }), 'startLane')).toEqual([])
  expect(lanesOf(end('see', 0), 'startLane')).toEqual(['d2 on d2'])
})

test('a lane is divided unless a task in it takes turns in the whole swarm', () => {
  const divided = (relations: Parameters<typeof planOf>[1]): string[] => {
    const plan = planOf(
      {
        cam: { on: 'edge', sensor: true, directives: { restore: 'repartition' } },
        once: { on: 'edge' },
        see: { on: 'edge', after: ['cam'] },
        log: { on: 'cloud' },
      },
      relations,
    )
    const { tell } = core(plan, ['d1', 'd2', 'd3'], { itemsPerDevice: 8 })
    tell({ type: 'start' })
    return lanesOf(tell({ type: 'deviceLost', device: 0, returns: false, message: 'Gone.' }), 'startLane')
  }
  expect(divided([])).toEqual(['d1 on d2', 'd1 on d3'])
  // Each share would call `once`, and the first end would let `log` start while the other call goes on.
  expect(divided([{ kind: 'serial', a: 'once', b: 'log', scope: 'swarm' }])).toEqual(['d1 on d2'])
  // One share could be at `cam`, for values that are needed once more, while the other is at `see`.
  expect(divided([{ kind: 'serial', a: 'cam', b: 'see', scope: 'swarm' }])).toEqual(['d1 on d2'])
  expect(divided([{ kind: 'serial', a: 'cam', b: 'see' }])).toEqual(['d1 on d2', 'd1 on d3'])
})
