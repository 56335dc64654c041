/** Directives whose effect only a real run shows: each test fails when its statement is taken out of the workflow. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { RunEvent, RunResult } from '@hivemind/orchestrator'
import type { Tier } from '@hivemind/swarm'
import { FolderDataPort } from '@hivemind/values/node'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { anyDevices, localTarget, type Target } from '../src/index.ts'
import { projectSpec } from './example.ts'
import { processesIn, until } from './processes.ts'

let folder = ''
let target: Target

beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'hivemind-test-'))
  target = localTarget({ dir: path.join(folder, 'target') })
})
afterEach(async () => {
  await target.close()
  await until(() => processesIn(folder).length === 0, 'a process is left', 10_000)
  rmSync(folder, { recursive: true, force: true })
}, 60_000)

/** Runs a workflow on one device, or on so many; `code` are its tasks' files. Resolves to the result and the lines that tasks logged. */
async function runOf(
  text: string,
  code: Record<string, string>,
  placement: Record<string, Tier>,
  agents = 1,
): Promise<{ result: RunResult; logs: string[] }> {
  const dir = path.join(folder, 'project')
  mkdirSync(dir, { recursive: true })
  writeFileSync(path.join(dir, 'small.hive.py'), text)
  for (const [name, body] of Object.entries(code)) writeFileSync(path.join(dir, `${name}.mjs`), body)
  const on = await target.apply({ ...(await projectSpec(dir, placement)), devices: anyDevices(agents) })
  const logs: string[] = []
  const onEvent = (event: RunEvent) => {
    if (event.type === 'log') logs.push(event.line.text)
  }
  const result = await on.run({ keepSpans: true, onEvent })
  await on.undeploy()
  return { result, logs }
}

/** A sensor that emits so many items at once, and what reads them. */
const chain = (statements: string, tasks = "['sense', 'work']", more = '') => `
TaskGraph(list=${tasks}, constraint=dict(execTime='1ms', latency='1h'))
Data(item, kind='stream'${more})
Task(sense, None, item, 'sense.mjs', parentTask=None, childTask=${tasks.replace("'sense', ", '')})
Task(work, item, done, 'work.mjs', parentTask=['sense'], childTask=[])
${statements}
`

const sense = (items: number) =>
  `export function* run() { for (let n = 0; n < ${items}; n++) yield { n, at: Date.now() } }`
const sleep = (ms: number) =>
  `export async function run({ item }) { await new Promise((done) => setTimeout(done, ${ms})); return item }`

const tiers: Tier[] = ['edge', 'cloud']

/** Each constraint of the language, with a limit that is met or missed whatever the machine does. */
const LIMITS: Record<string, { limit: string; met: boolean }> = {
  execTime: { limit: '1ms', met: false },
  latency: { limit: '1h', met: true },
  throughput: { limit: '100000/s', met: false },
  cost: { limit: '1000$/h', met: true },
  energy: { limit: '1mJ', met: false },
  power: { limit: '1kW', met: true },
}

test('every constraint is judged, met or missed; without it there is no verdict', {
  timeout: 120_000,
}, async () => {
  const all = Object.entries(LIMITS).map(([key, { limit }]) => `${key}='${limit}'`)
  const text = (constraints: string[]) =>
    chain('').replace(/constraint=dict\(.*\)\)/, `constraint=dict(${constraints.join(', ')}))`)
  const code = { sense: sense(4), work: sleep(50) }
  const placement = { sense: 'edge', work: 'cloud' } as const
  const { result } = await runOf(text(all), code, placement)
  expect(result.state, result.message).toBe('succeeded')
  const verdicts = new Map(result.constraints?.map((verdict) => [verdict.key, verdict]))
  expect([...verdicts].map(([key, { met }]) => [key, met])).toEqual(
    Object.entries(LIMITS).map(([key, { met }]) => [key, met]),
  )
  for (const { rule, text, met } of verdicts.values()) {
    expect(rule).not.toBe('')
    expect(text.includes('missed by')).toBe(!met)
  }
  const measured = (key: string) => verdicts.get(key)?.value ?? Number.NaN
  const seconds = measured('execTime') / 1000
  // An agent on this machine draws 2 W when idle and 10 W more for a busy core; there is no motion and no radio.
  const busy = result.spans
    .filter(({ tier }) => tier === 'edge')
    .reduce((ms, span) => ms + span.breakdown.execution, 0)
  expect(measured('energy')).toBeCloseTo(2 * seconds + (10 * busy) / 1000, 6)
  expect(measured('power')).toBeCloseTo(measured('energy') / seconds, 6)
  // Four invocations of 50 ms at least, for which one core costs 0.05 $ an hour.
  expect((measured('cost') * seconds) / 3600).toBeGreaterThan((0.2 / 3600) * 0.05)
  expect((await runOf(text([]), code, placement)).result.constraints).toBeUndefined()
})

test.each(tiers)('Data(rate) paces a sensor on the %s', { timeout: 120_000 }, async (tier) => {
  const text = chain('', undefined, ", rate='10/s'")
  const { result } = await runOf(text, { sense: sense(16), work: sleep(0) }, { sense: tier, work: 'cloud' })
  expect(result.state, result.message).toBe('succeeded')
  const at = result.outputs.map(({ value }) => (value as { at: number }).at)
  expect(at).toHaveLength(16)
  // Fifteen periods, less at most one by which the first item may come late.
  expect(Math.max(...at) - Math.min(...at)).toBeGreaterThanOrEqual(14 * 100)
})

describe('Schedule', () => {
  test.each(tiers)(
    'a missed deadline on the %s is counted, and the work is done',
    { timeout: 120_000 },
    async (tier) => {
      const text = chain("Schedule(work, deadline='20ms')")
      const { result } = await runOf(
        text,
        { sense: sense(3), work: sleep(200) },
        { sense: 'edge', work: tier },
      )
      expect(result.state, result.message).toBe('succeeded')
      expect(result.tasks.find(({ task }) => task === 'work')).toMatchObject({ done: 3, missed: 3 })
      const spans = result.spans.filter(({ task }) => task === 'work')
      expect(spans.map(({ missedDeadline }) => missedDeadline)).toEqual([true, true, true])
    },
  )

  test.each(tiers)(
    "onMiss='drop' on the %s gives up what has not started",
    { timeout: 120_000 },
    async (tier) => {
      const items = 8 * os.availableParallelism()
      const text = chain("Schedule(work, deadline='300ms', onMiss='drop')")
      const { result } = await runOf(
        text,
        { sense: sense(items), work: sleep(1000) },
        { sense: 'edge', work: tier },
      )
      const work = result.tasks.find(({ task }) => task === 'work')
      expect(work?.dropped).toBeGreaterThan(0)
      expect((work?.done ?? 0) + (work?.dropped ?? 0)).toBe(items)
      expect(result.losses.length).toBeGreaterThan(0)
    },
  )

  test('priority goes first among what is ready on a device', { timeout: 120_000 }, async () => {
    // A task has one process on a device: with one task more than slots, somebody has to wait.
    const items = 30
    const slots = os.availableParallelism()
    const low = Array.from({ length: slots - 1 }, (_, index) => `low${index}`)
    const readers = ['work', ...low, 'urgent']
    const names = ['sense', ...readers]
    const task = (name: string) =>
      `Task(${name}, item, of_${name}, 'work.mjs', parentTask=['sense'], childTask=[])`
    const text = `${chain('', `[${names.map((name) => `'${name}'`).join(', ')}]`)}
${[...low, 'urgent'].map(task).join('\n')}
Schedule(urgent, priority=5)
`
    const placement = Object.fromEntries(names.map((name) => [name, 'edge' as const]))
    const { result } = await runOf(text, { sense: sense(items), work: sleep(100) }, placement)
    expect(result.state, result.message).toBe('succeeded')
    const order = result.spans
      .filter((span) => span.task !== 'sense')
      .sort((a, b) => a.startedAt - b.startedAt)
      .map((span) => span.task)
    // On a busy machine the process of the urgent task may be there last: what counts comes after its first start.
    const first = order.indexOf('urgent')
    const until = order.lastIndexOf('urgent') + 1 - first
    const inTurns = order.length - first
    expect(until).toBeLessThan((slots * items + inTurns) / 2)
  })
})

test.each(tiers)(
  'Isolate on the %s: one process, on a core of its own',
  { timeout: 120_000 },
  async (tier) => {
    const work = `import { readFileSync } from 'node:fs'
const worker = Math.random()
export const run = () => ({ worker, cores: /Cpus_allowed_list:\\s*(\\S+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1] })`
    const text = chain('Isolate(work)')
    const { result } = await runOf(text, { sense: sense(8), work }, { sense: 'edge', work: tier })
    expect(result.state, result.message).toBe('succeeded')
    const values = result.outputs.map(({ value }) => value as { worker: number; cores: string })
    expect(values).toHaveLength(8)
    expect(new Set(values.map(({ worker }) => worker)).size).toBe(1)
    if (os.availableParallelism() > 1) expect(values[0]?.cores).toMatch(/^\d+$/)
  },
)

test('Isolate: tasks of several agents of one machine never have one core together', {
  timeout: 120_000,
}, async () => {
  const work = `import { readFileSync } from 'node:fs'
export const run = () => /Cpus_allowed_list:\\s*(\\S+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1]`
  const agents = 2
  const { result } = await runOf(
    chain('Isolate(work)'),
    { sense: sense(1), work },
    { sense: 'edge', work: 'edge' },
    agents,
  )
  expect(result.state, result.message).toBe('succeeded')
  const cores = result.outputs.map(({ value }) => value as string)
  expect(cores).toHaveLength(agents)
  // With fewer cores than that and one for the rest, nobody has one.
  const suffice = os.availableParallelism() > agents
  expect(new Set(cores).size).toBe(suffice ? agents : 1)
  for (const each of cores) expect(/^\d+$/.test(each)).toBe(suffice)
})

test.each(tiers)(
  'Restore(checkpoint) on the %s goes on from the last state',
  { timeout: 120_000 },
  async (tier) => {
    // Begun from the start it crashes at item 3, every time.
    const code = `export function* run(_inputs, _args, { state, log }) {
  const first = state.get('next', 0)
  for (let n = first; n < 6; n++) {
    if (n === 3 && first === 0) process.kill(process.pid, 'SIGKILL')
    log('makes ' + n)
    state.set('next', n + 1)
    yield { n }
  }
}`
    const text = chain("Restore(sense, 'checkpoint')").replace("'sense.mjs',", "'sense.mjs', state='device',")
    const { result, logs } = await runOf(
      text,
      { sense: code, work: sleep(0) },
      { sense: tier, work: 'cloud' },
    )
    expect(result.state, result.message).toBe('succeeded')
    const values = result.outputs.toSorted((a, b) => a.seq - b.seq).map(({ seq, value }) => [seq, value])
    expect(values).toEqual([0, 1, 2, 3, 4, 5].map((n) => [n, { n }]))
    expect(logs.filter((line) => line.startsWith('makes')).sort()).toEqual(
      [0, 1, 2, 3, 4, 5].map((n) => `makes ${n}`),
    )
  },
)

test.each(tiers)(
  'Persist on the %s keeps what is passed on whole, whether it travels in messages or not',
  { timeout: 120_000 },
  async (tier) => {
    // From 64 kB there is only a preview of what travels in messages, which it does up to 256 kB.
    const sizes = [70_000, 250_000, 1_000_000]
    const code = {
      sense: `export function* run() { for (const size of [${sizes}]) yield new Uint8Array(size).fill(7) }`,
      work: 'export const run = ({ item }) => item.length',
    }
    const { result } = await runOf(chain('Persist(sense)'), code, { sense: tier, work: 'cloud' })
    expect(result.state, result.message).toBe('succeeded')
    const port = new FolderDataPort(path.join(folder, 'target', 'values'))
    const kept = result.outputs.filter(({ task }) => task === 'sense')
    expect(kept).toHaveLength(sizes.length)
    for (const { seq, persisted, bytes, ref, type = '' } of kept) {
      const size = sizes[seq] as number
      expect({ persisted, bytes }).toEqual({ persisted: true, bytes: size })
      if (!ref) throw new Error('The output says nothing of where it is kept.')
      const value = await port.get({ kind: 'stored', ...ref, size, type })
      expect(Buffer.from(value.bytes).equals(Buffer.alloc(size, 7))).toBe(true)
    }
    const without = await runOf(chain(''), code, { sense: tier, work: 'cloud' })
    expect(new Set(without.result.outputs.map(({ task }) => task))).toEqual(new Set(['work']))
  },
)

test('Restore(repartition) divides by capacity: a device with an empty battery takes nothing over', {
  timeout: 120_000,
}, async () => {
  const items = 40
  const code = `export async function* run(_inputs, _args, { maxItems }) {
  for (let n = 0; n < maxItems; n++) {
    await new Promise((done) => setTimeout(done, 50))
    yield { n }
  }
}`
  const dir = path.join(folder, 'project')
  mkdirSync(dir, { recursive: true })
  writeFileSync(path.join(dir, 'small.hive.py'), chain("Restore(sense, 'repartition')"))
  writeFileSync(path.join(dir, 'sense.mjs'), code)
  writeFileSync(path.join(dir, 'work.mjs'), sleep(0))
  const empty = { capacityWh: 1e-6, idleW: 3, coreW: 0 }
  /** Kills the first of four devices; gives how many of its items each other device has sensed. */
  async function taken(batteries: Record<string, typeof empty>): Promise<number[]> {
    const devices = anyDevices(4).map((device) => {
      const battery = batteries[device.name]
      return { ...device, ...(battery && { battery }) }
    })
    const on = await target.apply({ ...(await projectSpec(dir, { sense: 'edge', work: 'cloud' })), devices })
    let emptyOnes = 0
    await until(
      () => {
        void target.fleet().then((fleet) => {
          emptyOnes = fleet.filter(
            ({ state, telemetry }) => state === 'online' && telemetry?.batteryWh === 0,
          ).length
        })
        return emptyOnes === Object.keys(batteries).length
      },
      'no battery is empty',
      20_000,
    )
    const counts = new Map<string, number>()
    let pid = on.status().resources.find(({ name }) => name === 'device-1')?.pid
    const result = await on.run({
      itemsPerDevice: items,
      keepSpans: true,
      onEvent: () => {
        if (pid !== undefined) process.kill(pid, 'SIGKILL')
        pid = undefined
      },
    })
    await on.undeploy()
    expect(result.state, result.message).toBe('succeeded')
    expect(result.outputs).toHaveLength(4 * items)
    for (const { task, device, worker, items: sensed } of result.spans)
      if (task === 'sense' && device === 'device-1') counts.set(worker, sensed)
    return ['device-2', 'device-3', 'device-4'].map((name) => counts.get(name) ?? 0)
  }
  // Whatever the first one has sensed before it was killed, the others have a third of the rest each, or half of it.
  const even = await taken({})
  const [second = 0, third = 0, fourth = 0] = even
  expect(Math.max(...even) - Math.min(...even)).toBeLessThanOrEqual(1)
  expect(second + third + fourth).toBeGreaterThan(items / 2)
  const [secondNow = 0, thirdNow = 0, fourthNow = 0] = await taken({ 'device-3': empty })
  expect(thirdNow).toBe(0)
  expect(Math.abs(secondNow - fourthNow)).toBeLessThanOrEqual(1)
  expect(secondNow + fourthNow).toBeGreaterThan(items / 2)
})

test.each(tiers)(
  "state='FIELD' on the %s: items with the same value share a state, in order",
  { timeout: 120_000 },
  async (tier) => {
    const code = {
      sense: `export function* run() { for (let n = 0; n < 12; n++) yield { n, colour: ['red', 'blue', 'green'][n % 3] } }`,
      work: `export function run({ item }, args, { state }) {
  const seen = [...state.get('seen', []), item.n]
  state.set('seen', seen)
  return seen
}`,
    }
    const textWith = (state: string) => chain('').replace("'work.mjs',", `'work.mjs', ${state}`)
    const placement = { sense: 'edge', work: tier } as const
    const lastOf = async (state: string) => {
      const { result } = await runOf(textWith(state), code, placement)
      expect(result.state, result.message).toBe('succeeded')
      const values = result.outputs.toSorted((a, b) => a.seq - b.seq).map(({ value }) => value)
      return values.slice(-3)
    }
    expect(await lastOf("state='colour',")).toEqual([
      [0, 3, 6, 9],
      [1, 4, 7, 10],
      [2, 5, 8, 11],
    ])
    const all = Array.from({ length: 12 }, (_, n) => n)
    expect((await lastOf("state='device',")).at(-1)).toEqual(all)
  },
)
