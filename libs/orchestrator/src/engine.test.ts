import type { Plan } from '@hivemind/synthesis'
import { describe, expect, test } from 'vitest'
import { type Behaviour, fakeSwarm, planOf, rng, task } from '../test/fakeSwarm.ts'
import { executePlan, type RunEngineOptions, type RunEvent, type RunResult, WorkFailure } from './index.ts'

/** The inputs that the first output was computed from. */
const inputsOf = ({ outputs }: RunResult) =>
  (outputs.at(0)?.value as { of: Record<string, unknown> } | undefined)?.of

const devices = ['device-1', 'device-2']
const sensor =
  (items: number, name = 'cam'): Behaviour =>
  (key) =>
    key.task === name ? items : 1

function run(plan: Plan, behaviour: Behaviour, options: Partial<RunEngineOptions> = {}, seed = 1) {
  const swarm = fakeSwarm({ plan, devices: options.devices ?? devices, random: rng(seed), behaviour })
  const events: RunEvent[] = []
  const result = executePlan(plan, swarm.ports, {
    run: 'r',
    devices,
    onEvent: (event) => events.push(event),
    ...options,
  })
  return { result, swarm, events }
}

describe('how often a task is called', () => {
  test('a stream from every device, per item, then once behind a barrier, in order', async () => {
    const plan = planOf([
      task('cam', { tier: 'edge' }),
      task('see', { parents: ['cam'] }),
      task('merge', { parents: ['see'], barrier: { kind: 'all' } }),
      task('print', { parents: ['merge'] }),
    ])
    const { result, swarm } = run(plan, sensor(3))
    const { state, outputs, losses, tasks } = await result
    expect({ state, losses }).toEqual({ state: 'succeeded', losses: [] })
    expect(swarm.ran.filter((key) => key.task === 'see')).toHaveLength(6)
    expect(tasks.map(({ task, done, state }) => [task, done, state])).toEqual([
      ['cam', 2, 'done'],
      ['see', 6, 'done'],
      ['merge', 1, 'done'],
      ['print', 1, 'done'],
    ])
    expect(outputs).toHaveLength(1)
    const merge = inputsOf(await result)?.mergeOut as
      | { of: { seeOut: { device: string; seq: number }[] } }
      | undefined
    const merged = merge?.of.seeOut ?? []
    expect(merged.map(({ device, seq }) => `${device} ${seq}`)).toEqual(
      devices.flatMap((device) => [0, 1, 2].map((seq) => `${device} ${seq}`)),
    )
  })

  test('a pin to a device keeps a task, and what comes of it, to that device', async () => {
    for (const tier of ['edge', 'cloud'] as const) {
      const plan = planOf([
        task('cam', { tier: 'edge' }),
        task('near', { tier: 'edge', parents: ['cam'], device: 'device-2' }),
        task('see', { tier, parents: ['cam', 'near'] }),
        task('merge', { parents: ['see', 'cam'], barrier: { kind: 'all' } }),
      ])
      for (let seed = 1; seed <= 5; seed++) {
        const { result, swarm } = run(plan, sensor(3), {}, seed)
        const { state, losses, tasks, outputs } = await result
        expect({ state, losses }).toEqual({ state: 'succeeded', losses: [] })
        expect(tasks.map(({ task, done }) => [task, done])).toEqual([
          ['cam', 2],
          ['near', 3],
          ['see', 3],
          ['merge', 1],
        ])
        const devicesOf = (name: string) =>
          swarm.ran.filter((key) => key.task === name).map(({ device }) => device)
        expect(new Set([...devicesOf('near'), ...devicesOf('see')])).toEqual(new Set(['device-2']))
        expect(outputs[0]?.value).toMatchObject({ of: { seeOut: { length: 3 }, camOut: { length: 6 } } })
      }
    }
  })

  test('a pin to a device that the run does not have breaks it', () => {
    const plan = planOf([task('cam', { tier: 'edge', device: 'device-7' })])
    expect(() => run(plan, sensor(1))).toThrow(
      "Task 'cam' is pinned to device-7, which this run does not have: it has device-1, device-2.",
    )
  })

  test('an object goes with every item of a stream', async () => {
    const plan = planOf([
      task('cam', { tier: 'edge' }),
      task('map', {}),
      task('both', { parents: ['cam', 'map'], tier: 'edge' }),
    ])
    const { outputs } = await run(plan, sensor(4)).result
    expect(outputs).toHaveLength(8)
    for (const { seq, device, value } of outputs)
      expect(value).toMatchObject({ of: { camOut: { seq, device }, mapOut: { seq: 0, device } } })
  })

  test('a filtered stream keeps its numbers, so joins below still line up', async () => {
    const plan = planOf([
      task('cam', { tier: 'edge' }),
      task('filter', { parents: ['cam'], tier: 'edge' }),
      task('join', { parents: ['cam', 'filter'] }),
    ])
    const behaviour: Behaviour = (key) => (key.task === 'cam' ? 5 : key.task === 'filter' ? key.seq % 2 : 1)
    const { outputs } = await run(plan, behaviour).result
    expect(outputs.map(({ device, seq }) => `${device} ${seq}`).sort()).toEqual([
      'device-1 1',
      'device-1 3',
      'device-2 1',
      'device-2 3',
    ])
  })

  test('a task that emits several items for one of a stream fails the run with a hint', async () => {
    const plan = planOf([task('cam'), task('split', { parents: ['cam'] })])
    const { state, message } = await run(plan, () => 2).result
    expect(state).toBe('failed')
    expect(message).toMatch(/'split'.*at most one for each; return a list/)
  })

  test.each([
    [{ kind: 'any' } as const, 1],
    [{ kind: 'count', count: 3 } as const, 3],
  ])('barrier %j opens early and counts the rest', async (barrier, size) => {
    const plan = planOf([task('cam'), task('first', { parents: ['cam'], barrier })])
    const { result, events } = run(plan, sensor(5))
    const { state, losses } = await result
    expect({ state, losses }).toEqual({ state: 'succeeded', losses: [] })
    expect(inputsOf(await result)?.camOut).toHaveLength(size)
    const text = events.map((event) => (event.type === 'log' ? event.line.text : '')).join('\n')
    if (size === 3) expect(text).toMatch(/had opened already when \d+ more instances? came/)
  })

  test('a barrier that waits for more than there is runs with what came and says so', async () => {
    const plan = planOf([
      task('cam'),
      task('late', { parents: ['cam'], barrier: { kind: 'count', count: 9 } }),
    ])
    const { state, losses } = await run(plan, sensor(1)).result
    expect({ state, losses }).toEqual({
      state: 'succeeded',
      losses: ["The barrier of 'late' ran 7 instances short: no more came."],
    })
  })

  test('below a barrier, a parent that runs on every device comes as a list', async () => {
    const plan = planOf([
      task('cam'),
      task('sum', { parents: ['cam'], barrier: { kind: 'all' } }),
      task('report', { parents: ['sum', 'cam'] }),
    ])
    const result = await run(plan, sensor(2)).result
    expect(result.outputs).toHaveLength(1)
    expect(inputsOf(result)?.camOut).toHaveLength(4)
  })

  test('inputs of the run reach roots; a missing one is null', async () => {
    const plan = planOf([task('root', { dataIn: ['given', 'absent'] })])
    const { outputs } = await run(plan, () => 1, { inputs: { given: 7 } }).result
    expect(outputs[0]?.value).toMatchObject({ of: { given: 7, absent: null } })
  })
})

describe('order and room', () => {
  test('Serial tasks never overlap for the same item', async () => {
    const plan = planOf([
      task('cam'),
      task('a', { parents: ['cam'], serialWith: ['b'] }),
      task('b', { parents: ['cam'], serialWith: ['a'] }),
    ])
    for (let seed = 0; seed < 20; seed += 1) {
      let together = 0
      const swarm = fakeSwarm({
        plan,
        devices,
        random: rng(seed),
        behaviour: sensor(4),
        chaos: ({ underway }) => {
          const open = underway().filter(({ task }) => task !== 'cam')
          const items = open.map(({ device, seq }) => `${device} ${seq}`)
          if (new Set(items).size < items.length) together += 1
        },
      })
      const { state } = await executePlan(plan, swarm.ports, { run: 'r', devices })
      expect({ state, together }).toEqual({ state: 'succeeded', together: 0 })
    }
  })

  test('with one slot the higher priority goes first', async () => {
    const plan = planOf([task('low'), task('high', { priority: 5 })])
    const { result, swarm } = run(plan, () => 1, { cloudSlots: 1 })
    await result
    expect(swarm.ran.map(({ task }) => task)).toEqual(['high', 'high', 'low', 'low'])
  })
})

describe('failures', () => {
  const failing = (kind: 'exception' | 'crash', times: number): Behaviour => {
    let left = times
    return (key) => {
      if (key.task === 'work' && key.device === 'device-1' && left > 0) {
        left -= 1
        throw new WorkFailure(kind, 'Boom.', 'stack')
      }
      return 1
    }
  }
  const plan = (restore: 'respawn' | 'ignore' | 'checkpoint') =>
    planOf([task('cam'), task('work', { parents: ['cam'], restore })])

  test('an exception fails the run at once, with its task', async () => {
    const { state, message, spans } = await run(plan('respawn'), failing('exception', 1)).result
    expect(state).toBe('failed')
    expect(message).toBe("'work' on device-1, item 0 failed: Boom.")
    expect(spans.filter(({ status }) => status === 'failed')).toHaveLength(1)
  })

  test('ignored, it is a loss', async () => {
    const { state, outputs, losses } = await run(plan('ignore'), failing('exception', 1)).result
    expect(state).toBe('succeeded')
    expect(outputs.map(({ device }) => device)).toEqual(['device-2'])
    expect(losses).toEqual(["'work' on device-1, item 0 was given up: Boom."])
  })

  test('a crash is tried three times', async () => {
    expect((await run(plan('respawn'), failing('crash', 2)).result).state).toBe('succeeded')
    expect((await run(plan('respawn'), failing('crash', 3)).result).state).toBe('failed')
    const kept = await run(plan('checkpoint'), failing('crash', 3)).result
    expect([kept.state, kept.losses.length]).toEqual(['succeeded', 1])
  })

  test('cancelling ends the run', async () => {
    const abort = new AbortController()
    const { result } = run(planOf([task('cam')]), () => 1, { signal: abort.signal })
    abort.abort()
    expect((await result).state).toBe('cancelled')
  })

  test('losing the only device for good says what was lost', async () => {
    const one = planOf([task('cam', { tier: 'edge' })])
    const swarm = fakeSwarm({
      plan: one,
      devices: ['device-1'],
      random: rng(1),
      behaviour: () => 1,
      chaos: (self) => self.kill('device-1', false),
    })
    const { state, message } = await executePlan(one, swarm.ports, { run: 'r', devices: ['device-1'] })
    expect(state).toBe('failed')
    expect(message).toBe(
      "Device device-1 was lost and no other device is left: the work of 'cam' for device-1 could not be finished.",
    )
  })
})
