/** Clusters with a name: what is checked, kept, sealed and never told, and what is deployed there. */
import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { FakeCluster } from '../../../libs/deploy/test/fake-cluster.ts'
import { log } from '../src/common/log.ts'
import { Sealing } from '../src/targets/sealing.ts'
import { until } from './support/client.ts'
import { configFor, newFolder, removeFolder, type Started, start } from './support/service.ts'

const TOKEN = 'token-that-nobody-may-see'
const images = { node: 'registry.example/node:1', python: 'registry.example/python:1' }
const dataDir = newFolder()
const config = configFor(dataDir, { images })
let started: Started
let cluster: FakeCluster
let project = ''

const open = async (): Promise<void> => {
  started = await start(config)
}
beforeAll(async () => {
  cluster = await FakeCluster.start()
  await open()
  const body = { name: 'Hello', example: 'hello-swarm' }
  project = (await started.client.ok('createProject', { body })).id
})
afterAll(async () => {
  await started?.service.close()
  await cluster.close()
  removeFolder(dataDir)
})

const access = () => ({ kubeconfig: cluster.kubeconfig(TOKEN), ingress: cluster.url })
const add = (name: string) => started.client.call('createTarget', { body: { name, ...access() } })
const deploy = async (target?: string) =>
  started.client.ok('createDeployment', {
    path: { project },
    body: {
      version: 1,
      placement: { readSensor: 'edge', judge: 'cloud', summary: 'cloud' },
      ...(target && { target }),
    },
  })
const ready = (deployment: string) =>
  until(async () => {
    const now = await started.client.ok('getDeployment', { path: { deployment } })
    return now.state !== 'starting' && now
  })
const undeploy = (deployment: string) => started.client.ok('undeploy', { path: { deployment } })

test('a cluster is tried, kept, checked and forgotten', async () => {
  const { client } = started
  expect(await client.ok('tryTarget', { body: access() })).toMatchObject({
    server: cluster.url,
    context: 'lab',
    contexts: ['lab', 'other'],
    namespace: 'swarm',
    findings: [{ level: 'ok' }, { level: 'ok' }, { level: 'ok' }, { level: 'ok' }],
  })
  expect(await client.ok('listTargets')).toEqual([])
  const body = { name: 'staging', ...access(), context: 'other', namespace: 'field' }
  const made = await client.ok('createTarget', { body })
  expect(made).toMatchObject({ name: 'staging', context: 'other', namespace: 'field', live: 0 })
  expect(await client.ok('listTargets')).toEqual([made])
  // The cluster is asked with what was kept.
  cluster.tokens.clear()
  expect(await client.ok('checkTarget', { path: { target: 'staging' } })).toMatchObject({
    namespace: 'field',
  })
  expect([...cluster.tokens]).toEqual([TOKEN])
  expect((await add('staging')).status).toBe(409)
  // A change without a kubeconfig keeps the one that there is.
  const path = { target: 'staging' }
  const changed = await client.ok('replaceTarget', { path, body: { ingress: cluster.url } })
  expect(changed).toMatchObject({ context: 'other', namespace: 'default', ingress: cluster.url })
  await client.ok('removeTarget', { path })
  expect(await client.ok('listTargets')).toEqual([])
  expect((await client.call('checkTarget', { path })).status).toBe(404)
})

test('what cannot be deployed to is refused, with all that is missing', async () => {
  cluster.answers.groups = ['apps']
  cluster.answers.namespace = 404
  try {
    const { status, body } = await add('bare')
    expect(status).toBe(422)
    expect(body.detail).toMatch(/^Nothing can be deployed there: It has no Knative Serving: install it/)
    expect(body.errors).toHaveLength(2)
  } finally {
    Object.assign(cluster.answers, { groups: ['serving.knative.dev'], namespace: 200 })
  }
  const odd = await started.client.call('createTarget', { body: { name: 'odd', kubeconfig: 'hello' } })
  expect(odd).toMatchObject({ status: 422, body: { errors: [{ field: 'kubeconfig' }] } })
  const named = await started.client.call('createTarget', { body: { ...access(), name: 'Not a name' } })
  expect(named).toMatchObject({ status: 400, body: { errors: [{ field: 'name' }] } })
  expect(await started.client.ok('listTargets')).toEqual([])
})

test('nothing tells a kubeconfig: no answer, no log, no file but sealed, no backup with its key', async () => {
  const written: string[] = []
  const write = process.stderr.write
  const { level } = log
  log.level = 'debug'
  process.stderr.write = ((chunk: string | Uint8Array) => written.push(String(chunk)) > 0) as typeof write
  const answers: unknown[] = []
  try {
    answers.push((await add('sealed')).body)
    for (const name of ['listTargets', 'health'] as const) answers.push(await started.client.ok(name))
    answers.push(await started.client.ok('checkTarget', { path: { target: 'sealed' } }))
    const { id } = await deploy('sealed')
    answers.push(await ready(id), await undeploy(id))
    await started.service.backups.make()
  } finally {
    process.stderr.write = write
    log.level = level
  }
  expect(JSON.stringify(answers)).not.toContain(TOKEN)
  expect(written.join('')).toContain('Deployment ready')
  expect(written.join('')).not.toContain(TOKEN)
  const filesBelow = (folder: string) =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => path.join(entry.parentPath, entry.name))
  const key = readFileSync(config.secretKeyFile, 'utf8').trim()
  expect(statSync(config.secretKeyFile).mode & 0o777).toBe(0o600)
  for (const file of filesBelow(dataDir)) expect(readFileSync(file, 'latin1')).not.toContain(TOKEN)
  const backedUp = filesBelow(config.backupDir)
  expect(backedUp.length).toBeGreaterThan(10)
  for (const file of backedUp) expect(readFileSync(file, 'latin1')).not.toContain(key)
})

test('a deployment follows the newest of its own target, and its target stays as it is', async () => {
  expect((await add('field')).status).toBe(201)
  const here = await ready((await deploy()).id)
  const there = await ready((await deploy('field')).id)
  expect(there).toMatchObject({ state: 'ready', request: { target: 'field' } })
  expect(await ready(here.id)).toMatchObject({ state: 'ready' })
  const newer = await ready((await deploy('field')).id)
  expect(await ready(there.id)).toMatchObject({
    state: 'stopped',
    message: 'Replaced by a newer deployment.',
  })
  expect(await ready(here.id)).toMatchObject({ state: 'ready' })
  const path = { target: 'field' }
  expect(await started.client.ok('listTargets')).toContainEqual(
    expect.objectContaining({ name: 'field', live: 1 }),
  )
  expect((await started.client.call('removeTarget', { path })).status).toBe(409)
  const busy = await started.client.call('replaceTarget', { path, body: access() })
  expect(busy).toMatchObject({
    status: 409,
    body: { detail: expect.stringMatching(/^A deployment runs on 'field'/) },
  })
  const run = await started.client.ok('startRun', { path: { deployment: newer.id }, body: {} })
  const listed = { path: { project }, query: { text: 'FIELD' } }
  expect(await started.client.ok('listRuns', listed)).toMatchObject([{ id: run.id, target: 'field' }])
  for (const { id } of [here, newer]) await undeploy(id)
  await started.client.ok('removeTarget', { path })
  const body = {
    version: 1,
    placement: { readSensor: 'edge', judge: 'cloud', summary: 'cloud' },
    target: 'field',
  }
  const gone = await started.client.call('createDeployment', { path: { project }, body })
  expect(gone).toMatchObject({ status: 422, body: { errors: [{ field: 'target' }] } })
})

test('without its key a target says so, and works again with it', async () => {
  expect((await add('later')).status).toBe(201)
  await started.service.close()
  renameSync(config.secretKeyFile, `${config.secretKeyFile}.away`)
  await open()
  const path = { target: 'later' }
  const locked = await started.client.call('checkTarget', { path })
  expect(locked).toMatchObject({
    status: 422,
    body: { detail: expect.stringMatching(/secret\.key is gone: put it back, or/) },
  })
  renameSync(`${config.secretKeyFile}.away`, config.secretKeyFile)
  expect((await started.client.ok('checkTarget', { path })).findings).toHaveLength(4)
})

test('what was sealed opens with its own key and label alone', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'hivemind-seal-'))
  try {
    const sealing = new Sealing(path.join(folder, 'key'))
    const sealed = await sealing.seal('the secret', 'a')
    expect(await sealing.open(sealed, 'a')).toBe('the secret')
    expect(await sealing.seal('the secret', 'a')).not.toBe(sealed)
    const bytes = Buffer.from(sealed, 'base64')
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1
    const other = new Sealing(path.join(folder, 'other'))
    await other.seal('x', 'x')
    for (const attempt of [
      () => sealing.open(sealed, 'b'),
      () => sealing.open(bytes.toString('base64'), 'a'),
      () => sealing.open('AAAA', 'a'),
      () => other.open(sealed, 'a'),
    ])
      await expect(attempt()).rejects.toThrow(/not the one that this was sealed with/)
    writeFileSync(path.join(folder, 'key'), 'short')
    await expect(sealing.open(sealed, 'a')).rejects.toThrow(/is not 32 bytes/)
  } finally {
    rmSync(folder, { recursive: true })
  }
})
