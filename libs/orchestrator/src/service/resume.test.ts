/** A service that is killed in the middle of a run goes on from its journal, with the devices as they are then. */
import { expect, test } from 'vitest'
import { planOf } from '../../test/plans.ts'
import { rng } from '../../test/random-plan.ts'
import { CALM, type Faults, runWorld } from '../../test/world.ts'
import { compileForService } from '../core/plan.ts'

const plan = planOf({
  cam: { on: 'edge', sensor: true },
  see: { on: 'edge', after: ['cam'] },
  judge: { on: 'cloud', after: ['see'] },
  all: { on: 'cloud', after: ['judge'], directives: { synchronize: { kind: 'all' } } },
})
const DEVICES = ['d1', 'd2', 'd3']

const run = (faults: Partial<Faults>, devices = DEVICES) =>
  runWorld(plan, devices, (task) => (task === 'cam' ? 4 : 1), rng(1), { ...CALM, ...faults })

const outputsOf = ({ outputs }: Awaited<ReturnType<typeof run>>) => outputs.map(({ value }) => value)

test('killed at any moment, a run gives the outputs it gives without', async () => {
  const calm = await run({})
  expect(calm.outcome).toMatchObject({ state: 'succeeded' })
  for (let at = 0; at < calm.endedAt; at += 5) {
    const killed = await run({ restarts: [{ at, downMs: 40 }] })
    expect(killed.outcome, `Killed at ${at} ms`).toMatchObject({ state: 'succeeded', startedAt: 0 })
    expect(outputsOf(killed), `Killed at ${at} ms`).toEqual(outputsOf(calm))
    expect(killed.restarts).toBe(1)
  }
})

test('what the journal says is done is not done again', async () => {
  const killed = await run({ restarts: [{ at: 60, downMs: 40 }] })
  const { taskByName } = compileForService(
    plan,
    DEVICES.map((name) => ({ name, class: 'drone' })),
  )
  const names = new Map([...taskByName].map(([name, id]) => [id, name]))
  const until = killed.journal.findIndex(({ type }) => type === 'interrupted')
  const ended = killed.journal
    .slice(0, until)
    .flatMap((event) =>
      event.type === 'done' ? [`${names.get(event.task)} ${DEVICES[event.device]} ${event.seq}`] : [],
    )
  expect(ended.some((key) => key.startsWith('judge'))).toBe(true)
  const again = killed.work.flatMap(({ phase, key, at }) => (phase === 'begin' && at >= 100 ? [key] : []))
  expect(again.length).toBeGreaterThan(0)
  // The items of `cam` lay on the devices, for `see`.
  expect(again.filter((key) => ended.includes(key) && !key.startsWith('cam'))).toEqual([])
})

test('a journal that lost all its events starts the run again; one that lost its last goes on from before', async () => {
  const calm = await run({})
  for (const at of [5, 25, 70]) {
    const killed = await run({ restarts: [{ at, downMs: 40 }], losesTail: true })
    expect(killed.lostTail, `Killed at ${at} ms`).toBe(true)
    expect(outputsOf(killed)).toEqual(outputsOf(calm))
  }
})

test('calls of functions under way count as lost tries: after three the run says so', async () => {
  const slow = planOf({ slow: { on: 'cloud' } })
  const restarts: { at: number; downMs: number }[] = []
  const next = () => runWorld(slow, ['d1'], () => 1, rng(2), { ...CALM, restarts })
  for (let tries = 0; tries < 3; tries++) {
    const { outcome, work } = await next()
    expect(outcome).toMatchObject({ state: 'succeeded' })
    const last = work.filter(({ phase }) => phase === 'begin').at(-1)
    restarts.push({ at: (last?.at ?? 0) + 0.01, downMs: 0.1 })
  }
  expect((await next()).outcome).toMatchObject({
    state: 'failed',
    message: "'slow' on d1, item 0 failed: The service was restarted.",
  })
})

test('a device that is lost for good while the service is away gives its work to another', async () => {
  const killed = await runWorld(
    plan,
    DEVICES,
    (task) => (task === 'cam' ? 4 : 1),
    rng(1),
    { ...CALM, restarts: [{ at: 20, downMs: 300 }] },
    { kills: [{ device: 'd2', at: 25, returns: false }] },
  )
  expect(killed.outcome.state).toBe('succeeded')
  expect(killed.outcome.message).toMatch(
    /^Device d2 was given up; the work of 'cam', 'see' for d2 moves to d[13]\.$/,
  )
  expect(outputsOf(killed)).toEqual(outputsOf(await run({})))
})
