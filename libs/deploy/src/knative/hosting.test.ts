/** The way of the calls of a function that has gone to zero. */
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { CHALLENGE_HEADER, proofOf } from '@hivemind/task-runner'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { FakeCluster } from '../../test/fake-cluster.ts'
import { placements, projectDir, synthesised } from '../../test/walk.ts'
import type { DirectCall } from '../functions/client.ts'
import { functionWorksOf } from '../functions/works.ts'
import { anyDevices } from '../index.ts'
import { Cluster } from './cluster.ts'
import { KnativeHosting } from './hosting.ts'
import { LABELS } from './manifests.ts'

const TASK = 'loud'
const servers: Server[] = []
let cluster: FakeCluster
let hosting: KnativeHosting
/** Requests that Knative's route holds, as it does while a function starts. */
let held: ServerResponse[]

async function listening(server: Server): Promise<string> {
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

beforeEach(async () => {
  held = []
  cluster = await FakeCluster.start()
  const ingress = await listening(createServer((_, response) => void held.push(response)))
  hosting = new KnativeHosting(
    await Cluster.open({ kubeconfig: cluster.kubeconfig() }),
    { images: { node: 'function-node:1', python: 'function-python:1' }, ingress },
    { group: 'g1', deployment: 'walk', onStatus: () => {}, log: () => {} },
  )
  const synthesis = await synthesised(placements.hybrid)
  const spec = { name: 'walk', synthesis, projectDir, devices: anyDevices(2) }
  for (const work of functionWorksOf(spec).filter(({ name }) => name === TASK))
    await (await hosting.prepare(work, AbortSignal.timeout(20_000))).commit()
  await vi.waitFor(() => expect(cluster.isWatched).toBe(true))
})
afterEach(async () => {
  await hosting.close()
  await cluster.close()
  await Promise.all(
    servers.splice(0).map((server) => new Promise((resolve) => server.close(resolve).closeAllConnections())),
  )
})

const direct = async (signal?: AbortSignal): Promise<DirectCall | undefined> =>
  (await hosting.endpoint(TASK)).direct?.(signal)

/** A container of the function gets ready; resolves with its address. */
async function containerReady({ token = hosting.records()[0]?.token as string } = {}): Promise<string> {
  const url = await listening(
    createServer((incoming, response) =>
      response.end(JSON.stringify({ proof: proofOf(token, String(incoming.headers[CHALLENGE_HEADER])) })),
    ),
  )
  const { hostname, port } = new URL(url)
  cluster.tellPod({
    metadata: { name: 'new', labels: { [LABELS.revision]: hosting.records()[0]?.revision } },
    spec: {
      containers: [{ name: 'queue-proxy', ports: [{ name: 'queue-port', containerPort: Number(port) }] }],
    },
    status: { podIP: hostname, conditions: [{ type: 'Ready', status: 'True' }] },
  })
  return url
}

const answered = (): void => {
  for (const response of held.splice(0)) response.end('{}')
}

test('a call of a function that has gone to zero starts it, and goes to its container though the route holds what it has', async () => {
  const calls = [direct(), direct()]
  await vi.waitFor(() => expect(held).toHaveLength(1))
  const url = await containerReady()
  expect(await Promise.all(calls)).toMatchObject([{ url }, { url }])
  expect(held).toHaveLength(1)
})

test('more calls than its container takes wait for room as long as the route has not answered', async () => {
  const first = direct()
  const url = await containerReady()
  const call = await first
  await direct()
  const third = direct()
  expect(await Promise.race([third, pause(50, 'waits')])).toBe('waits')
  call?.done(true)
  expect(await third).toMatchObject({ url })
  const fourth = direct()
  answered()
  expect(await fourth).toBeUndefined()
  // the route leads to containers now: what has no room goes there at once
  expect(await direct()).toBeUndefined()
  expect(held).toHaveLength(0)
})

test('where containers are not reached directly, a call waits until the route has led to one', async () => {
  const call = direct()
  await containerReady({ token: 'somebody else' })
  expect(await Promise.race([call, pause(50, 'waits')])).toBe('waits')
  answered()
  expect(await call).toBeUndefined()
})

test('a call that is given up waits no longer', async () => {
  const given = new AbortController()
  const call = direct(given.signal)
  expect(await Promise.race([call, pause(20, 'waits')])).toBe('waits')
  given.abort()
  expect(await call).toBeUndefined()
})

test('a call of a function whose container cannot start is told why, and does not wait', async () => {
  const call = direct()
  expect(await Promise.race([call, pause(20, 'waits')])).toBe('waits')
  const terminated = { exitCode: 3, reason: 'Error', message: 'The code is not what it was.' }
  cluster.tellPod({
    metadata: { name: 'new', labels: { [LABELS.revision]: hosting.records()[0]?.revision } },
    status: { containerStatuses: [{ name: 'function', restartCount: 1, lastState: { terminated } }] },
  })
  const why = { kind: 'load', message: expect.stringMatching(/'loud' does not start: .*The code is not/) }
  await expect(call).rejects.toMatchObject(why)
  await expect(direct()).rejects.toMatchObject(why)
  await containerReady()
  await vi.waitFor(async () => expect(await direct()).toBeDefined())
})
