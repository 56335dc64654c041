/** The chart on a real cluster: `npm run test:cluster`. The browser's journey on what it installs is in e2e. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parseAllDocuments, stringify } from 'yaml'

const chart = fileURLToPath(new URL('hivemind', import.meta.url))
const images = JSON.parse(process.env.HIVEMIND_CLUSTER_IMAGES ?? '{}') as Record<string, string>
const values = {
  images: { service: images.service, functionNode: images.node, functionPython: images.python },
  knative: { ingress: 'http://kourier.kourier-system.svc.cluster.local' },
}
const namespace = `chart-${Math.random().toString(36).slice(2, 8)}`
const folder = mkdtempSync(path.join(os.tmpdir(), 'hivemind-chart-'))
const where = ['-n', namespace]
let agent: ChildProcess | undefined

interface Manifest {
  kind: string
  rules?: unknown
}

/** What a command prints. Throws with what it says when it fails. */
function run(program: string, args: string[], input?: string): string {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8', input })
  if (status !== 0) throw new Error(`${program} ${args[0]}: ${stderr}`)
  return stdout
}
const kubectl = (...args: string[]): string => run('kubectl', [...where, ...args])
const helm = (command: string, ...args: string[]): string => run('helm', [command, ...where, ...args])

/** Arguments that give values to helm. */
function withValues(more: object): string[] {
  const file = path.join(folder, 'values.yaml')
  writeFileSync(file, stringify({ ...values, ...more }))
  return ['-f', file]
}
const rendered = (more: object = {}): string =>
  helm('template', 'hivemind', chart, '--validate', ...withValues(more))
const manifests = (text: string): Manifest[] =>
  parseAllDocuments(text).flatMap((each) => (each.toJS() as Manifest | null) ?? [])

beforeAll(() => void run('kubectl', ['create', 'namespace', namespace]))
afterAll(() => {
  agent?.kill('SIGKILL')
  run('kubectl', ['delete', 'namespace', namespace, '--wait=false'])
  run('kubectl', ['delete', 'persistentvolume', namespace, '--ignore-not-found', '--wait=false'])
  rmSync(folder, { recursive: true, force: true })
})

test('the chart is in order, and grants what a target is checked for', () => {
  expect(run('helm', ['lint', '--strict', chart, ...withValues({})])).toContain('0 chart(s) failed')
  const account = readFileSync(new URL('../knative/account.yaml', import.meta.url), 'utf8')
  const rulesIn = (text: string) => manifests(text).find(({ kind }) => kind === 'Role')?.rules
  expect(rulesIn(account)).toBeInstanceOf(Array)
  expect(rulesIn(rendered())).toEqual(rulesIn(account))
})

const everything = {
  replicas: 3,
  persistence: { storageClass: 'fast', accessMode: 'ReadWriteMany' },
  postgres: { existingSecret: 'database' },
  store: { existingSecret: 'redis', replicas: 1 },
  broker: { existingSecret: 'broker', ownAuthority: true },
  sandbox: false,
  service: { type: 'NodePort', nodePort: 30_999 },
  devices: { host: 'swarm.example:443', type: 'NodePort', nodePort: 30_998, annotations: { a: 'b' } },
  ingress: {
    enabled: true,
    className: 'any',
    host: 'hivemind.test',
    tlsSecret: 'tls',
    annotations: { a: 'b' },
  },
  trustedProxies: ['10.0.0.0/8'],
  networkPolicy: { from: [{ namespaceSelector: { matchLabels: { team: 'swarm' } } }] },
  env: { HIVEMIND_MAX_RUNS: 4 },
  nodeSelector: { disk: 'ssd' },
  tolerations: [{ key: 'edge', operator: 'Exists' }],
  affinity: { nodeAffinity: {} },
}

test.each([
  ['as it comes', {}],
  ['with all there is', everything],
  ['without persistence', { persistence: { enabled: false }, networkPolicy: { enabled: false } }],
])('the API server takes what the chart makes, field by field: %s', (_, more) => {
  const dryRun = ['apply', ...where, '--dry-run=server', '--validate=strict', '-f', '-']
  const made = run('kubectl', dryRun, rendered(more))
  for (const kind of ['serviceaccount', 'role.rbac', 'rolebinding.rbac', 'service/', 'statefulset.apps'])
    expect(made).toContain(kind)
})

test.each([
  [{ images: {} }, /images\.service is the image of the service: see docs\/helm\.md/],
  [{ colour: 2 }, /additional properties 'colour' not allowed/],
  [{ replicas: 0 }, /\/replicas.*minimum/],
  [{ replicas: 2, persistence: { enabled: false } }, /replicas above 1 need a volume that the pods share/],
  [{ ingress: { enabled: true } }, /\/ingress\/host.*minLength/],
  [{ broker: { ownAuthority: true } }, /broker\.ownAuthority needs broker\.existingSecret/],
  [{ devices: { host: 'https://swarm.example' } }, /\/devices\/host.*pattern/],
  [{ devices: { port: 443 } }, /\/devices\/port.*minimum/],
  [{ sandbox: 'maybe' }, /\/sandbox.*want boolean/],
  [{ knative: { ingress: 'kourier' } }, /\/knative\/ingress.*pattern/],
])('a value that cannot be meant is refused before anything is made: %j', (more, sentence) => {
  const given = { ...values, ...more }
  expect(() => helm('install', 'hivemind', chart, ...withValues(given))).toThrow(sentence)
  expect(helm('list', '-q')).toBe('')
})

/** A field of the pod that is active; empty when there is none. */
const activePod = (field: string): string =>
  kubectl('get', 'pod', '-l', 'hivemind.dev/role=active', '-o', `jsonpath={.items[*]${field}}`)

/** Asks the service, by the address of its active pod. */
async function open(method: string, at: string, body?: object): Promise<Response> {
  const address = activePod('.status.podIP')
  const password = Buffer.from(
    kubectl('get', 'secret', 'hivemind', '-o', 'jsonpath={.data.password}'),
    'base64',
  ).toString()
  const url = `http://${address}:4310/api/${at}`
  const answer = await fetch(url, {
    method,
    headers: {
      authorization: `Basic ${Buffer.from(`hivemind:${password}`).toString('base64')}`,
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  })
  if (!answer.ok) throw new Error(`${method} ${url}: ${answer.status} ${await answer.text()}`)
  return answer
}
const ask = async (method: string, at: string, body?: object): Promise<Record<string, unknown>> =>
  (await (await open(method, at, body)).json()) as Record<string, unknown>

const until = async <T>(get: () => Promise<T | false>): Promise<T> => {
  for (;;) {
    const got = await get()
    if (got) return got
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
}

test('deployments and runs outlive an upgrade and a killed pod, and projects an uninstallation', {
  timeout: 600_000,
}, async () => {
  // A volume of this machine, as an administrator would make one for the user of the service.
  const hostPath = { path: path.join(folder, 'volume') }
  mkdirSync(hostPath.path)
  chownSync(hostPath.path, 65_532, 65_532)
  const volume = {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: namespace },
    spec: {
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce'],
      hostPath,
      storageClassName: '',
      claimRef: { namespace, name: 'hivemind' },
    },
  }
  run('kubectl', ['apply', '-f', '-'], stringify(volume))
  const persistence = { size: '1Gi', storageClass: '-' }
  const node = run('kubectl', ['get', 'node', '-o', 'jsonpath={.items[0].status.addresses[0].address}'])
  const devices = { host: `${node}:30883`, type: 'NodePort', nodePort: 30_883 }
  const wait = ['--wait', '--timeout', '5m']
  helm('install', 'hivemind', chart, ...withValues({ persistence, devices }), ...wait)
  expect(helm('test', 'hivemind', '--logs')).toContain('"target":"knative"')
  await until(async () => activePod('.metadata.name') === 'hivemind-0')
  expect(await ask('GET', 'health')).toMatchObject({ sandbox: 'on' })

  const project = await ask('POST', 'projects', { name: 'Hello', example: 'hello-swarm' })
  const placement = { readSensor: 'edge', judge: 'cloud', summary: 'cloud' }
  let { id } = await ask('POST', `projects/${project.id}/deployments`, { version: 1, placement })
  const ready = () =>
    until(async () => {
      const now = await ask('GET', `deployments/${id}`)
      return now.state !== 'starting' && now
    })
  const succeeds = async () => {
    const started = await ask('POST', `deployments/${id}/runs`, {})
    const run = await until(async () => {
      const now = await ask('GET', `runs/${started.id}`)
      return now.endedAt !== undefined && now
    })
    expect(run).toMatchObject({ state: 'succeeded' })
  }
  expect(await ready()).toMatchObject({ state: 'ready' })
  await succeeds()
  const password = kubectl('get', 'secret', 'hivemind', '-o', 'jsonpath={.data.password}')
  const functions = () => kubectl('get', 'ksvc', '-o', 'jsonpath={.items[*].metadata.generation}')
  const before = functions()

  // a device outside of the cluster, with the agent of the service and the credential that it was enrolled with
  const credential = path.join(folder, 'drone-7.json')
  writeFileSync(credential, JSON.stringify(await ask('POST', 'devices', { id: 'drone-7', class: 'drone' })))
  const archive = path.join(folder, 'agent.tar.gz')
  writeFileSync(archive, Buffer.from(await (await open('GET', 'agent')).arrayBuffer()))
  run('tar', ['xzf', archive, '-C', folder])
  const options = ['--config', credential, '--dir', path.join(folder, 'agent')]
  agent = spawn(path.join(folder, 'hivemind-agent/start'), options, {
    env: { ...process.env, NODE: process.execPath },
    stdio: 'inherit',
  })
  const isOnline = () =>
    until(async () => {
      const known = (await ask('GET', 'devices').catch(() => [])) as unknown as {
        id: string
        state: string
      }[]
      return known.some((each) => each.id === 'drone-7' && each.state === 'online')
    })
  await isOnline()

  helm(
    'upgrade',
    'hivemind',
    chart,
    ...withValues({ persistence, devices, env: { HIVEMIND_MAX_RUNS: 4 } }),
    ...wait,
  )
  expect(kubectl('get', 'secret', 'hivemind', '-o', 'jsonpath={.data.password}')).toBe(password)
  await until(async () => activePod('.metadata.name') === 'hivemind-0')
  expect(await ready()).toMatchObject({ state: 'ready' })
  await succeeds()
  expect(functions()).toBe(before)

  helm('upgrade', 'hivemind', chart, ...withValues({ persistence, devices, replicas: 2 }), ...wait)
  await until(async () => /^hivemind-\d$/.test(activePod('.metadata.name')))
  const killed = activePod('.metadata.name')
  expect(await ready()).toMatchObject({ state: 'ready' })
  const asked = await ask('POST', `deployments/${id}/runs`, {})
  await until(async () => Number((await ask('GET', `runs/${asked.id}`)).spanCount) > 2)
  kubectl('delete', 'pod', killed, '--force', '--grace-period=0')
  await until(async () => /^hivemind-\d$/.test(activePod('.metadata.name').replace(killed, '').trim()))
  const whole = await until(async () => {
    const now = await ask('GET', `runs/${asked.id}`).catch(() => ({ endedAt: undefined }))
    return now.endedAt !== undefined && now
  })
  expect(whole).toMatchObject({ state: 'succeeded', result: { losses: [] } })
  await isOnline()
  expect(functions()).toBe(before)

  helm('uninstall', 'hivemind', '--wait')
  helm('install', 'hivemind', chart, ...withValues({ persistence, devices }), ...wait)
  await until(async () => activePod('.metadata.name') === 'hivemind-0')
  expect(await ask('GET', `projects/${project.id}`)).toMatchObject({ name: 'Hello' })
  expect(await ready()).toMatchObject({ state: 'ready' })
  const undeploy = async () => {
    await ask('POST', `deployments/${id}/undeploy`)
    await until(async () => (await ask('GET', `deployments/${id}`)).state === 'stopped')
    expect(functions()).toBe('')
  }
  await undeploy()

  await isOnline()
  const withDevice = { version: 1, placement, devices: ['drone-7'] }
  id = (await ask('POST', `projects/${project.id}/deployments`, withDevice)).id
  expect(await ready()).toMatchObject({ state: 'ready' })
  await succeeds()
  await undeploy()
})
