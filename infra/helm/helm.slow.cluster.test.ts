/** The chart on a real cluster: `npm run test:cluster`. The browser's journey on what it installs is in e2e. */
import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { CHART, manifests, Release, run, until, VALUES, WAIT } from './release.ts'

let release: Release
let agent: ChildProcess | undefined

beforeAll(() => {
  release = new Release()
})
afterAll(() => {
  agent?.kill('SIGKILL')
  release.remove()
})

test('the chart is in order, and grants what a target is checked for', () => {
  expect(run('helm', ['lint', '--strict', CHART, ...release.with({})])).toContain('0 chart(s) failed')
  const account = readFileSync(new URL('../knative/account.yaml', import.meta.url), 'utf8')
  const rulesIn = (text: string) => manifests(text).find(({ kind }) => kind === 'Role')?.rules
  expect(rulesIn(account)).toBeInstanceOf(Array)
  expect(rulesIn(release.rendered())).toEqual(rulesIn(account))
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
  ['with a Redis Cluster', { store: { cluster: { enabled: true, storageClass: 'fast' } } }],
  [
    'with a Redis Cluster that has Secrets and nodes of its own',
    {
      store: {
        replicas: 0,
        cluster: { enabled: true, spread: 'required', passwordSecret: 'a', tlsSecret: 'b' },
      },
      persistence: { enabled: false },
      tolerations: [{ key: 'edge', operator: 'Exists' }],
    },
  ],
  ['without persistence', { persistence: { enabled: false }, networkPolicy: { enabled: false } }],
])('the API server takes what the chart makes, field by field: %s', (_, more) => {
  const made = release.apply(release.rendered(more), '--dry-run=server', '--validate=strict')
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
  [{ store: { existingSecret: 'redis', cluster: { enabled: true } } }, /give one of them/],
  [
    { images: { ...VALUES.images, redis: '' }, store: { cluster: { enabled: true } } },
    /images\.redis is the image/,
  ],
  [{ store: { cluster: { spread: 'wide' } } }, /\/store\/cluster\/spread/],
  [{ store: { cluster: { memory: '1Gi' } } }, /\/store\/cluster\/memory.*pattern/],
  [{ devices: { host: 'https://swarm.example' } }, /\/devices\/host.*pattern/],
  [{ devices: { port: 443 } }, /\/devices\/port.*minimum/],
  [{ sandbox: 'maybe' }, /\/sandbox.*want boolean/],
  [{ knative: { ingress: 'kourier' } }, /\/knative\/ingress.*pattern/],
])('a value that cannot be meant is refused before anything is made: %j', (more, sentence) => {
  const given = { ...VALUES, ...more }
  expect(() => release.helm('install', 'hivemind', CHART, ...release.with(given))).toThrow(sentence)
  expect(release.helm('list', '-q')).toBe('')
})

test('deployments and runs outlive an upgrade and a killed pod, and projects an uninstallation', {
  timeout: 600_000,
}, async () => {
  const { activePod, ask, helm, kubectl } = release
  release.volumeFor('hivemind')
  const persistence = { size: '1Gi', storageClass: '-' }
  const node = run('kubectl', ['get', 'node', '-o', 'jsonpath={.items[0].status.addresses[0].address}'])
  const devices = { host: `${node}:30883`, type: 'NodePort', nodePort: 30_883 }
  helm('install', 'hivemind', CHART, ...release.with({ persistence, devices }), ...WAIT)
  expect(helm('test', 'hivemind', '--logs')).toContain('"target":"knative"')
  await until(async () => activePod('.metadata.name') === 'hivemind-0')
  expect(await ask('GET', 'health')).toMatchObject({ sandbox: 'on' })

  const project = await ask('POST', 'projects', { name: 'Hello', example: 'hello-swarm' })
  const placement = { readSensor: 'edge', judge: 'cloud', summary: 'cloud' }
  let { id } = await ask('POST', `projects/${project.id}/deployments`, { version: 1, placement })
  const ready = () => release.started(id)
  const succeeds = async () => {
    const started = await ask('POST', `deployments/${id}/runs`, {})
    expect(await release.ended(started.id)).toMatchObject({ state: 'succeeded' })
  }
  expect(await ready()).toMatchObject({ state: 'ready' })
  await succeeds()
  const password = release.password()
  const functions = () => kubectl('get', 'ksvc', '-o', 'jsonpath={.items[*].metadata.generation}')
  const before = functions()

  // a device outside of the cluster, with the agent of the service and the credential that it was enrolled with
  const credential = path.join(release.folder, 'drone-7.json')
  writeFileSync(credential, JSON.stringify(await ask('POST', 'devices', { id: 'drone-7', class: 'drone' })))
  const archive = path.join(release.folder, 'agent.tar.gz')
  writeFileSync(archive, Buffer.from(await (await release.open('GET', 'agent')).arrayBuffer()))
  run('tar', ['xzf', archive, '-C', release.folder])
  const options = ['--config', credential, '--dir', path.join(release.folder, 'agent')]
  agent = spawn(path.join(release.folder, 'hivemind-agent/start'), options, {
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
    CHART,
    ...release.with({ persistence, devices, env: { HIVEMIND_MAX_RUNS: 4 } }),
    ...WAIT,
  )
  expect(release.password()).toBe(password)
  await until(async () => activePod('.metadata.name') === 'hivemind-0')
  expect(await ready()).toMatchObject({ state: 'ready' })
  await succeeds()
  expect(functions()).toBe(before)

  helm('upgrade', 'hivemind', CHART, ...release.with({ persistence, devices, replicas: 2 }), ...WAIT)
  await until(async () => /^hivemind-\d$/.test(activePod('.metadata.name')))
  const killed = activePod('.metadata.name')
  expect(await ready()).toMatchObject({ state: 'ready' })
  const asked = await ask('POST', `deployments/${id}/runs`, {})
  await until(async () => Number((await ask('GET', `runs/${asked.id}`)).spanCount) > 2)
  kubectl('delete', 'pod', killed, '--force', '--grace-period=0')
  await until(async () => /^hivemind-\d$/.test(activePod('.metadata.name').replace(killed, '').trim()))
  expect(await release.ended(asked.id)).toMatchObject({ state: 'succeeded', result: { losses: [] } })
  await isOnline()
  expect(functions()).toBe(before)

  helm('uninstall', 'hivemind', '--wait')
  helm('install', 'hivemind', CHART, ...release.with({ persistence, devices }), ...WAIT)
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
