/** A function as a process: when it is ready, how its calls share processes, and when it ends. */
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { ce, closeAll, configOf, serve, start, startedBy, until } from '../test/host.ts'
import { readConfig } from './index.ts'

afterEach(closeAll)

interface Slow {
  worker: string
  calls: number
  x: unknown
}

const call = async (url: string, x: unknown, attributes: Record<string, string> = {}): Promise<Slow> => {
  const headers = { ...ce(attributes), 'content-type': 'application/json' }
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(x) })
  if (answer.status !== 200) throw new Error(`${answer.status} ${await answer.text()}`)
  return (await answer.json()) as Slow
}
const alive = (pid: number): boolean => existsSync(`/proc/${pid}`)
const tasksOf = (host: { pid?: number }): number[] => {
  const pids = startedBy(host.pid ?? 0)
  expect(pids.length).toBeGreaterThan(0)
  return pids
}

it('says where it is, also in a file, and what runs', async () => {
  const { first, folder, url, child, output } = await start({ do: 'sum' }, { configHash: 'abc' })
  expect(first).toEqual({ port: expect.any(Number), pid: child.pid })
  expect(JSON.parse(readFileSync(path.join(folder, 'ready.json'), 'utf8'))).toEqual(first)
  expect((await fetch(`${url}readyz`)).status).toBe(200)
  await call(url, 2, { 'ce-hmlane': 'device-3' })
  expect(await (await fetch(`${url}healthz`)).json()).toMatchObject({
    task: 'work',
    workflow: 'patrol',
    pid: child.pid,
    configHash: 'abc',
    running: 0,
    memoryMB: expect.any(Number),
  })
  await until(() => output().includes('sum 2'))
  expect(JSON.parse(output().trim().split('\n').at(-1) ?? '')).toMatchObject({
    level: 'info',
    task: 'work',
    device: 'device-3',
    text: 'sum 2',
  })
})

it('says why it cannot start', async () => {
  const missing = await start({ do: 'echo' }, { code: 'missing.mjs' })
  expect(await missing.ended).toBe(3)
  expect(missing.first?.error).toMatchObject({
    kind: 'load',
    message: expect.stringContaining("'missing.mjs' cannot be loaded"),
  })
  expect(missing.errors()).toContain("Task 'work'")
  const other = await start({ do: 'echo' }, { files: [{ path: 'work.mjs', hash: 'ab'.repeat(32) }] })
  expect(await other.ended).toBe(3)
  expect(other.errors()).toMatch(
    /^The code of task 'work' is not what was deployed: 'work\.mjs' has the hash [0-9a-f]{12}…, not abababababab…\. Deploy again\.$/m,
  )
  const gone = await start({ do: 'echo' }, { files: [{ path: 'none.mjs', hash: 'ab'.repeat(32) }] })
  expect(gone.first?.error).toMatchObject({ message: expect.stringContaining("'none.mjs' is not there") })
  expect(() => readConfig('{"task":""}', {})).toThrow(
    /lacks or has wrong: task, runtime, code, dir, workflow\.$/,
  )
  expect(() => readConfig(undefined, {})).toThrow(/Usage/)
  const env = { HIVEMIND_FUNCTION_CONFIG: JSON.stringify(configOf({})), PORT: '8080', K_SINK: 'http://sink/' }
  expect(readConfig(undefined, env)).toMatchObject({ port: 8080, sink: 'http://sink/', task: 'work' })
})

it('finishes what runs and what waits when it is told to end, and takes nothing more', async () => {
  const { child, ended, url } = await start({ do: 'slow', ms: 600 })
  const first = call(url, 1)
  const second = call(url, 2)
  const health = async () =>
    (await (await fetch(`${url}healthz`)).json()) as { running: number; waiting: number }
  await until(async () => {
    const { running, waiting } = await health()
    return running === 1 && waiting === 1
  })
  const tasks = tasksOf(child)
  child.kill('SIGTERM')
  await until(async () => (await fetch(`${url}readyz`)).status === 503)
  await expect(call(url, 3)).rejects.toThrow(/^503 .*takes no more calls/)
  const answers = await Promise.all([first, second])
  expect(answers.map(({ x }) => x)).toEqual([1, 2])
  expect(await ended).toBe(0)
  expect(tasks.some(alive)).toBe(false)
})

it('ends when its lease runs out, and not while somebody calls', async () => {
  const from = Date.now()
  const { child, ended, url, output } = await start(
    { do: 'slow', ms: 2_000 },
    { leaseSeconds: 1, token: 't' },
  )
  const authorization = { authorization: 'Bearer t' }
  // a call that takes longer than the lease
  const answer = await fetch(url, {
    method: 'POST',
    headers: { ...ce(), ...authorization, 'content-type': 'application/json' },
    body: '1',
  })
  expect(answer.status).toBe(200)
  const tasks = tasksOf(child)
  for (let n = 0; n < 4; n++) {
    await new Promise((resolve) => setTimeout(resolve, 500))
    expect((await fetch(`${url}lease`, { headers: authorization })).status).toBe(200)
    // anybody may look, and that does not count
    await fetch(`${url}healthz`)
  }
  expect(Date.now() - from).toBeGreaterThan(3_500)
  const left = Date.now()
  expect(await ended).toBe(0)
  expect(Date.now() - left).toBeLessThan(5_000)
  expect(output()).toContain('Nobody called for 1 s')
  expect(tasks.some(alive)).toBe(false)
})

it('ends with its parent when it is bound to it', async () => {
  const { child, ended, url } = await start({ do: 'slow', ms: 1 }, {}, ['--bound'])
  await call(url, 1)
  const tasks = tasksOf(child)
  child.stdin?.end()
  expect(await ended).toBe(0)
  expect(tasks.some(alive)).toBe(false)
})

it('ends its task when the caller goes', async () => {
  const { url } = await serve({ do: 'slow', ms: 60_000 })
  const controller = new AbortController()
  const headers = { ...ce(), 'content-type': 'application/json' }
  const gone = fetch(url, { method: 'POST', headers, body: '1', signal: controller.signal }).catch(
    () => 'gone',
  )
  const running = async () => ((await (await fetch(`${url}healthz`)).json()) as { running: number }).running
  await until(async () => (await running()) === 1)
  controller.abort()
  expect(await gone).toBe('gone')
  await until(async () => (await running()) === 0)
})

it('has at most so many processes, and reuses them', async () => {
  const { url } = await serve({ do: 'slow', ms: 300 }, { concurrency: 2 })
  const from = Date.now()
  const answers = await Promise.all([1, 2, 3, 4].map((x) => call(url, x)))
  expect(new Set(answers.map(({ worker }) => worker)).size).toBe(2)
  expect(Date.now() - from).toBeGreaterThan(590)
  const warm = await call(url, 5)
  expect(answers.map(({ worker }) => worker)).toContain(warm.worker)
  expect(warm.calls).toBe(answers.filter(({ worker }) => worker === warm.worker).length + 1)
})

it('serves the calls of a key by one process in order, and others beside it', async () => {
  const { url } = await serve({ do: 'slow', ms: 60 }, { concurrency: 3 })
  const order: unknown[] = []
  const keyed = Array.from({ length: 9 }, async (_, n) => {
    // one after the other, as a caller sends what must be in order
    await new Promise((resolve) => setTimeout(resolve, n * 10))
    const answer = await call(url, n, { 'ce-hmkey': 'device-1' })
    order.push(answer.x)
    return answer
  })
  const others = Array.from({ length: 6 }, () => call(url, 'other'))
  const answers = await Promise.all(keyed)
  expect(new Set(answers.map(({ worker }) => worker)).size).toBe(1)
  expect(order).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8])
  const workers = new Set((await Promise.all(others)).map(({ worker }) => worker))
  expect([...workers].some((worker) => worker !== answers[0]?.worker)).toBe(true)
})
