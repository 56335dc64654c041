/** Whole deployments: placements that agree, and everything that can go wrong with devices and user code. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { RunEvent, RunResult } from '@hivemind/orchestrator'
import type { Task } from '@hivemind/workflow'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  anyDevices,
  type Deployment,
  localTarget,
  parseLink,
  profileWorkflow,
  type RunOptions,
  readProject,
  type Target,
  type TargetOptions,
} from '../src/index.ts'
import { processesIn, until } from './processes.ts'
import { expected, placed, placements, projectDir, synthesised, taskNames, walk } from './walk.ts'

let scratchDir = ''
let target: Target | undefined

beforeEach(() => {
  scratchDir = mkdtempSync(path.join(tmpdir(), 'hivemind-test-'))
})
afterEach(async () => {
  await target?.close()
  target = undefined
  await until(() => processesIn(scratchDir).length === 0, 'a process is left', 1000)
  expect(readdirSync(scratchDir)).toEqual([])
  rmSync(scratchDir, { recursive: true, force: true })
}, 60_000)

type Change = Record<string, Partial<Task>>

async function deploy(
  placement = placements.hybrid,
  change: Change = {},
  agents = 2,
  options: TargetOptions = {},
) {
  const synthesis = await synthesised(placement, walk(change))
  await target?.close()
  target = localTarget({ scratchDir, ...options })
  return target.apply({ name: 'walk', synthesis, projectDir, devices: anyDevices(agents) })
}

/** Runs and does something once the given number of spans has been seen. */
async function runAnd(
  on: Deployment,
  spans: number,
  act: () => void,
  options: RunOptions = {},
): Promise<[RunResult, RunEvent[]]> {
  const events: RunEvent[] = []
  let seen = 0
  const result = await on.run({
    keepSpans: true,
    ...options,
    onEvent: (event) => {
      events.push(event)
      if (event.type !== 'span') return
      seen += 1
      if (seen === spans) act()
    },
  })
  return [result, events]
}

function pidOf(on: Deployment, name: string): number {
  const pid = on.status().resources.find((resource) => resource.name === name)?.pid
  if (pid === undefined) throw new Error(`${name} has no process.`)
  return pid
}

describe('placements', () => {
  test.each(Object.entries(placements))(
    '%s gives the result worked out by hand',
    { timeout: 120_000 },
    async (_, placement) => {
      const on = await deploy(placement)
      const { state, outputs, losses, tasks } = await on.run({ keepSpans: true })
      expect({ state, losses, outputs: outputs.map(({ value }) => value) }).toEqual({
        state: 'succeeded',
        losses: [],
        outputs: [expected(2)],
      })
      expect(tasks.map(({ tier, state }) => [tier, state])).toEqual(
        taskNames.map((name) => [placement[name], 'done']),
      )
    },
  )
})

describe('devices', () => {
  const slow: Change = { frames: { args: { pauseMs: 150 } } }

  test('kill -9 of an agent: its work is redone on the agent started again', {
    timeout: 120_000,
  }, async () => {
    const on = await deploy(placements.hybrid, slow)
    const before = pidOf(on, 'device-2')
    const [result, events] = await runAnd(on, 8, () => process.kill(before, 'SIGKILL'))
    expect(result).toMatchObject({ state: 'succeeded', losses: [] })
    expect(result.outputs.map(({ value }) => value)).toEqual([expected(2)])
    const told = events.flatMap((event) =>
      event.type === 'device' ? [`${event.device} ${event.state}`] : [],
    )
    expect(told).toEqual(['device-2 lost', 'device-2 respawned'])
    expect(pidOf(on, 'device-2')).not.toBe(before)
  })

  test('with repartition another device takes over under the same lane', { timeout: 120_000 }, async () => {
    const on = await deploy(placements.edge, {
      frames: { args: { pauseMs: 600 }, directives: { restore: 'repartition' } },
    })
    const [result] = await runAnd(on, 8, () => process.kill(pidOf(on, 'device-2'), 'SIGKILL'))
    expect(result.state).toBe('succeeded')
    expect(result.outputs.map(({ value }) => value)).toEqual([expected(2)])
    expect(result.spans.some(({ device, worker }) => device === 'device-2' && worker === 'device-1')).toBe(
      true,
    )
  })

  test('the only agent lost again and again: the run says what was lost', { timeout: 120_000 }, async () => {
    const on = await deploy(placements.edge, { frames: { args: { pauseMs: 3000 } } }, 1)
    const killer = setInterval(() => {
      if (on.status().resources.some(({ name, state }) => name === 'device-1' && state === 'ready'))
        process.kill(pidOf(on, 'device-1'), 'SIGKILL')
    }, 700)
    const result = await on.run().finally(() => clearInterval(killer))
    expect(result.state).toBe('failed')
    expect(result.message).toMatch(/lost.*'frames'/)
  })

  test('a link that needs longer than 3 s for one item is no sign of death', {
    timeout: 120_000,
  }, async () => {
    // 150,000 bytes take 6 s at 200 kbit a second, and heartbeats wait behind them.
    const on = await deploy(
      placed('cloud', { frames: 'edge' }),
      { frames: { args: { bytes: 150_000 } } },
      1,
      {
        link: parseLink('200kbit,own'),
      },
    )
    const events: RunEvent[] = []
    const result = await on.run({
      itemsPerDevice: 2,
      keepSpans: true,
      onEvent: (event) => events.push(event),
    })
    expect(result).toMatchObject({ state: 'succeeded', losses: [] })
    expect(result.endedAt - result.startedAt).toBeGreaterThan(10_000)
    expect(events.filter(({ type }) => type === 'device')).toEqual([])
  })

  test('an agent that falls silent is taken for dead after 3 s', { timeout: 120_000 }, async () => {
    const on = await deploy(placements.hybrid, slow)
    const pid = pidOf(on, 'device-1')
    const [result] = await runAnd(on, 8, () => process.kill(pid, 'SIGSTOP'))
    expect(result.outputs.map(({ value }) => value)).toEqual([expected(2)])
    expect(pidOf(on, 'device-1')).not.toBe(pid)
  })
})

describe('user code', () => {
  const bad = (...kinds: string[]): Change => ({
    loud: { code: 'tasks/bad.mjs', args: { kinds, timeout: '2s', memory: '200MB' } },
  })
  // A run with 3 items on each device goes wrong in the first way, one with 4 in the second, and so on.
  const ways: [string, RegExp][] = [
    ['exception', /'loud' on device-2, item 2 failed: .*no such colour/],
    ['crash', /'loud' on device-2, item 3 failed: .*SIGSEGV/],
    ['loop', /'loud' on device-2, item 4 failed: .*longer than 2 s/],
    ['memory', /'loud' on device-2, item 5 failed: .*memory/],
  ]
  test.each(['cloud', 'edge'] as const)(
    'on the %s, what goes wrong in it fails the run, never the deployment',
    { timeout: 180_000 },
    async (tier) => {
      const on = await deploy(placed(tier), bad(...ways.map(([kind]) => kind)))
      for (const [index, [, message]] of ways.entries()) {
        const { state, message: said, spans } = await on.run({ itemsPerDevice: index + 3, keepSpans: true })
        expect(state).toBe('failed')
        expect(said).toMatch(message)
        expect(spans.some(({ task, status }) => task === 'loud' && status === 'failed')).toBe(true)
        expect(on.status().resources.every((resource) => resource.state === 'ready')).toBe(true)
      }
      const again = await on.run({ itemsPerDevice: 2 })
      expect(again.outputs.map(({ value }) => value)).toEqual([expected(2, 2)])
    },
  )

  test('on a device, a second value where one object was promised fails the run, with a sentence', {
    timeout: 120_000,
  }, async () => {
    const on = await deploy(placements.edge, { position: { code: 'tasks/twice.mjs' } }, 1)
    const { state, message } = await on.run({ itemsPerDevice: 2 })
    expect(state).toBe('failed')
    expect(message).toMatch(
      /'position' emitted 2 values, but its output 'where' is one object\. Return a list/,
    )
  })

  test('ignored, a failure costs its item and says so', { timeout: 120_000 }, async () => {
    const { loud } = bad('exception')
    const on = await deploy(placements.hybrid, { loud: { ...loud, directives: { restore: 'ignore' } } })
    const { state, losses, outputs } = await on.run({ itemsPerDevice: 3 })
    expect(state).toBe('succeeded')
    expect(losses).toHaveLength(1)
    expect(losses[0]).toMatch(/'loud' on device-2, item 2 was given up: .*no such colour/)
    expect(outputs.at(0)?.value).toMatchObject({ count: 2 })
  })

  test('code that cannot be loaded: nothing is left of the deployment', { timeout: 120_000 }, async () => {
    const synthesis = await synthesised(placements.cloud)
    const plan = {
      ...synthesis.plan,
      tasks: synthesis.plan.tasks.map((task) =>
        task.name === 'loud' ? { ...task, code: 'tasks/gone.mjs' } : task,
      ),
    }
    const spec = { name: 'walk', synthesis: { ...synthesis, plan }, projectDir, devices: anyDevices(2) }
    target = localTarget({ scratchDir })
    await expect(target.apply(spec)).rejects.toThrow(/loud/)
    await until(() => processesIn(scratchDir).length === 0, 'a process is left', 10_000)
  })

  test('an agent that does not start: the reason, and nothing left', { timeout: 120_000 }, async () => {
    await expect(
      deploy(placements.edge, {}, 2, {
        agentCommand: [process.execPath, '-e', 'console.error("no radio"); process.exit(7)', '--'],
      }),
    ).rejects.toThrow(/Agent device-\d was lost \(exit code 7\)[\s\S]*no radio/)
  })
})

describe('ending', () => {
  test('a run can be cancelled; the next one is none the worse', { timeout: 120_000 }, async () => {
    const on = await deploy(placements.hybrid, { frames: { args: { pauseMs: 1500 } } })
    const abort = new AbortController()
    const [result] = await runAnd(on, 3, () => abort.abort(), { signal: abort.signal })
    expect(result.state).toBe('cancelled')
    expect((await on.run({ itemsPerDevice: 1 })).outputs.at(0)?.value).toEqual(expected(2, 1))
  })

  test('stopped at any moment of its start, nothing is left of a deployment', {
    timeout: 120_000,
  }, async () => {
    const synthesis = await synthesised(placements.hybrid)
    const spec = { name: 'walk', synthesis, projectDir, devices: anyDevices(2) }
    const stoppedAfter = async (wait: (told: Promise<void>) => Promise<void>) => {
      const controller = new AbortController()
      const told = Promise.withResolvers<void>()
      const { signal } = controller
      const own = localTarget({ scratchDir })
      const applied = own.apply(spec, { signal, onStatus: () => told.resolve() })
      const refused = expect(applied).rejects.toThrow()
      await wait(told.promise)
      controller.abort()
      await refused
      await until(() => processesIn(scratchDir).length === 0, 'a process is left', 10_000)
      await own.close()
      expect(readdirSync(scratchDir)).toEqual([])
    }
    await stoppedAfter(async () => {})
    // the gateway stands, and functions and agents begin to start
    await stoppedAfter((told) => told)
    for (const ms of [1, 3, 10, 30, 100]) await stoppedAfter(() => pause(ms))
  })

  test('kill -9 of the process that deployed: agents and task processes end by themselves', {
    timeout: 120_000,
  }, async () => {
    const script = fileURLToPath(new URL('abandoned.ts', import.meta.url))
    const parent: ChildProcess = spawn(process.execPath, [script, scratchDir], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    await new Promise<void>((resolve) => parent.stdout?.once('data', () => resolve()))
    expect(processesIn(scratchDir).length).toBeGreaterThan(2)
    parent.kill('SIGKILL')
    await until(() => processesIn(scratchDir).length === 0, 'processes are left')
    // The next deployment sweeps what the dead process could not.
    await deploy(placements.cloud)
    expect(readdirSync(scratchDir)).toHaveLength(1)
  })
})

test('a profile is measured on both tiers', { timeout: 180_000 }, async () => {
  const told: string[] = []
  target = localTarget({ scratchDir })
  const profile = await profileWorkflow({
    target,
    name: 'walk',
    project: await readProject(projectDir),
    workflow: walk(),
    placements: [placements.cloud, placements.edge],
    agents: 2,
    note: 'test',
    onProgress: (share, message) => told.push(`${share.toFixed(1)} ${message}`),
  })
  expect(profile).toMatchObject({ schema: 'hivemind.profile/1', note: 'test' })
  expect(Object.keys(profile.tasks).sort()).toEqual([...taskNames].sort())
  const { frames, measure, total } = profile.tasks
  expect(total?.edge).toBeUndefined()
  expect(frames?.edge?.outputsPerInvocation).toBe(6)
  expect(frames?.cloud?.outputsPerInvocation).toBe(6)
  for (const tier of [measure?.cloud, measure?.edge]) {
    expect(tier?.serviceMs.quantiles).toHaveLength(21)
    expect(tier?.serviceMs.samples).toBe(12)
    expect(tier?.serviceMs.mean).toBeGreaterThan(0)
    expect(tier?.outputBytes.mean).toBeGreaterThan(10)
  }
  const [inCloud, onEdge] = [frames?.cloud?.outputBytes.mean ?? 0, frames?.edge?.outputBytes.mean ?? 0]
  expect(Math.abs(inCloud - onEdge)).toBeLessThan(10)
  expect(told.at(-1)).toBe('1.0 Done')
})
