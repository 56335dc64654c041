/** The chart's own Redis Cluster on a real cluster: `npm run test:cluster`. What its members do is tested on loopback too. */
import { readdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { CHART, Release, until, WAIT } from './release.ts'

const MEMBERS = [0, 1, 2, 3, 4, 5].map((member) => `hivemind-redis-${member}`)
const store = { cluster: { enabled: true, size: '1Gi', storageClass: '-', memory: '64mb' } }
const persistence = { size: '1Gi', storageClass: '-' }

let release: Release
const volumes = new Map<string, string>()
beforeAll(() => {
  release = new Release()
  release.volumeFor('hivemind')
  for (const member of MEMBERS) volumes.set(member, release.volumeFor(`data-${member}`))
})
afterAll(() => release.remove())

/** Asks a member's Redis. */
const redis = (member: string, command: string): string =>
  release.kubectl(
    ...['exec', member, '-c', 'redis', '--', 'redis-cli', '--tls', '--cacert', '/tls/ca.crt', '-e'],
    ...command.split(' '),
  )

/** Members by the member whose replica they are, and those that are nobody's. */
function pairs(): Map<string, string> {
  const view = redis('hivemind-redis-0', 'CLUSTER NODES').trim().split('\n')
  const nodes = view.map((line) => {
    const [id = '', address = '', flags = '', primary = ''] = line.split(' ')
    return { id, flags, primary, member: /,([^.]+)/.exec(address)?.[1] ?? '' }
  })
  expect(nodes.map(({ member }) => member).sort()).toEqual(MEMBERS)
  const nameOf = (id: string) => nodes.find((node) => node.id === id)?.member ?? ''
  const replicas = nodes.filter(({ flags }) => flags.includes('slave'))
  return new Map(replicas.map(({ member, primary }) => [nameOf(primary), member]))
}

/** Waits until three primaries have a replica each, and all are ready. */
async function whole(): Promise<Map<string, string>> {
  await until(async () => {
    try {
      const rows = release.kubectl(
        'get',
        'statefulset',
        'hivemind-redis',
        '-o',
        'jsonpath={.status.readyReplicas}',
      )
      return rows === '6' && pairs().size === 3
    } catch {
      return false
    }
  })
  return pairs()
}

test('runs keep their values on the cluster of the chart, through a killed primary, new addresses, a lost volume and an upgrade', {
  timeout: 900_000,
}, async () => {
  const { ask, helm, kubectl } = release
  const install = (command: string, more: object) =>
    helm(command, 'hivemind', CHART, ...release.with({ persistence, store, ...more }), ...WAIT)
  install('install', {})
  const first = await whole()
  expect([...first.keys()].sort()).toEqual(MEMBERS.slice(0, 3))

  await until(async () => release.activePod('.metadata.name') === 'hivemind-0')
  const project = await ask('POST', 'projects', { name: 'People', example: 'people-recognition' })
  const placement = {
    createRoute: 'cloud',
    collectImage: 'edge',
    obstacleAvoidance: 'edge',
    faceRecognition: 'cloud',
    deduplication: 'cloud',
  }
  const { id } = await ask('POST', `projects/${project.id}/deployments`, { version: 1, placement, agents: 2 })
  expect(await release.started(id)).toMatchObject({ state: 'ready' })
  const start = async () => (await ask('POST', `deployments/${id}/runs`, {})).id
  let asked: unknown
  // what the run kept, with versions and times, and one of its values
  const kept = async (): Promise<string> => {
    const found = await ask('GET', `store/objects?prefix=/runs/${asked}&limit=100`)
    const { objects } = found as { objects: { key: string }[] }
    const [{ key } = { key: '' }] = objects
    const value = await release.open('GET', `store/object?key=${encodeURIComponent(key)}`)
    return JSON.stringify([objects, await value.text()])
  }

  // the primary that has the values of the run is killed meanwhile
  asked = await start()
  const killed = await until(
    async () => [...first.keys()].find((member) => redis(member, `KEYS *${asked}*`).trim() !== '') ?? false,
  )
  kubectl('delete', 'pod', killed, '--force', '--grace-period=0')
  expect(await ask('GET', `runs/${asked}`)).not.toHaveProperty('endedAt')
  expect(await release.ended(asked)).toMatchObject({ state: 'succeeded' })
  await whole()
  const before = await kept()
  expect(before).toContain(`/runs/${asked}`)

  const addresses = () =>
    kubectl(
      'get',
      'pod',
      '-l',
      'app.kubernetes.io/name=hivemind-redis',
      '-o',
      'jsonpath={.items[*].status.podIP}',
    )
  const old = addresses().split(' ')
  kubectl('delete', 'pod', '--force', '--grace-period=0', ...MEMBERS)
  const second = await whole()
  for (const address of addresses().split(' ')) expect(old).not.toContain(address)
  await until(async () => (await kept().catch(() => '')) === before)

  const [lost = ''] = [...second.keys()]
  const volume = volumes.get(lost) as string
  kubectl('delete', 'pod', lost, '--force', '--grace-period=0')
  for (const each of readdirSync(volume)) rmSync(path.join(volume, each), { recursive: true })
  const third = await whole()
  expect([...third.values()]).toContain(lost)
  expect(await kept()).toBe(before)

  const secrets = () =>
    kubectl('get', 'secret', 'hivemind-redis', 'hivemind-redis-tls', '-o', 'jsonpath={.items[*].data}')
  const made = secrets()
  const resources = { requests: { cpu: '10m', memory: '64Mi' }, limits: { memory: '512Mi' } }
  install('upgrade', { store: { cluster: { ...store.cluster, resources } } })
  await whole()
  expect(secrets()).toBe(made)
  expect(await kept()).toBe(before)
  expect(await release.ended(await start())).toMatchObject({ state: 'succeeded' })
})
