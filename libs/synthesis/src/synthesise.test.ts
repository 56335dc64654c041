import { parseQuantity, type Workflow } from '@hivemind/workflow'
import { describe, expect, it } from 'vitest'
import { task } from '../test/fixtures.ts'
import { edgeApi, SynthesisError, synthesise } from './index.ts'

const workflow: Workflow = {
  schema: 'hivemind.workflow/1',
  tasks: [
    task('sense', { dataOut: 'frame', children: ['see'], args: { files: 'data', timeout: '5s' } }),
    task('see', { dataIn: ['frame'], dataOut: 'list', parents: ['sense'], children: ['count'] }),
    task('count', {
      dataIn: ['list'],
      dataOut: 'total',
      parents: ['see'],
      directives: { synchronize: { kind: 'all' } },
    }),
  ],
  data: [
    { name: 'frame', declared: true, size: parseQuantity('2MB') ?? undefined },
    { name: 'list', declared: false },
    { name: 'total', declared: false },
  ],
  relations: [],
  constraints: [],
}

const file = (path: string) => ({
  path,
  hash: path.length.toString(16).padStart(64, '0'),
  bytes: 10,
  mentions: [],
})
const files = [
  'tasks/sense.mjs',
  'tasks/see.mjs',
  'tasks/count.mjs',
  'tasks/lib/a.mjs',
  'data/x.png',
  'other.txt',
].map(file)
const hybrid = { sense: 'edge', see: 'edge', count: 'cloud' } as const
const request = { name: 'count-things', workflow, placement: hybrid, files }

describe('a plan', () => {
  it('wires what stays on a device, and calls what leaves it', () => {
    const { plan, flow, thrift } = synthesise(request)
    expect(plan.links.map(({ transport }) => transport)).toEqual(['wire', 'thrift'])
    expect(plan.tasks.map(({ scope }) => scope)).toEqual(['device', 'device', 'swarm'])
    expect(plan.tasks[0]?.timeoutMs).toBe(5_000)
    expect(flow.map(({ type }) => type)).toEqual(['tab', 'hivemind-task', 'hivemind-task'])
    expect(thrift).toContain('service CountThingsGateway')
    const agent = edgeApi(plan).services[0]?.functions.map(({ name }) => name)
    expect(agent).toEqual(['info', 'startRun', 'endRun', 'sense'])
  })

  it('sends CloudEvents between cloud functions', () => {
    const { plan, artefacts } = synthesise({ ...request, placement: { ...hybrid, see: 'cloud' } })
    expect(plan.links.map(({ transport }) => transport)).toEqual(['thrift', 'cloudevents'])
    expect(artefacts.map(({ path }) => path)).toContain('functions/see.json')
  })

  it('gives the same bytes for the same input', () => {
    expect(JSON.stringify(synthesise(request))).toBe(JSON.stringify(synthesise(structuredClone(request))))
  })
})

describe('a bundle', () => {
  it('holds the folder of the code, without that of other tasks, and what files= names', () => {
    const { bundles } = synthesise(request)
    expect(bundles[0]?.files.map(({ path }) => path)).toEqual([
      'data/x.png',
      'tasks/lib/a.mjs',
      'tasks/sense.mjs',
    ])
    expect(bundles[1]?.files.map(({ path }) => path)).not.toContain('data/x.png')
  })

  it('changes its hash with its content', () => {
    const changed = files.map((one) => (one.path === 'data/x.png' ? { ...one, hash: 'f'.repeat(64) } : one))
    const before = synthesise(request).bundles.map(({ hash }) => hash)
    const after = synthesise({ ...request, files: changed }).bundles.map(({ hash }) => hash)
    expect(after[0]).not.toBe(before[0])
    expect(after[1]).toBe(before[1])
  })
})

it.each([
  ['a missing file', { code: 'tasks/none.mjs' }, /no file 'tasks\/none.mjs'/],
  ['a path that leaves the project', { code: '../x.mjs' }, /leaves the project/],
  ['an absolute path', { code: '/etc/passwd' }, /leaves the project/],
  ['a language that cannot run', { code: 'other.txt' }, /neither JavaScript/],
  [
    'an extra file that is missing',
    { args: { files: ['data', 'models/a.bin'] } },
    /files names 'models\/a.bin'/,
  ],
  [
    'an extra file outside',
    { args: { files: '../secret' } },
    /files="..\/secret" must name files or folders inside/,
  ],
  ['files that are no text', { args: { files: [3] } }, /files=3 must name files or folders inside/],
  ['a wrong memory', { args: { memory: '0MB' } }, /memory="0MB" must be a size such as '512MB'/],
  ['a time out of range', { args: { timeout: '9999h' } }, /timeout is from 1ms to 24h; '9999h' is more/],
  ['a memory out of range', { args: { memory: '1MB' } }, /memory is from 16MB to 64GB; '1MB' is less/],
  ['a wrong time', { args: { timeout: 5 } }, /timeout=5 must be a time such as '30s'/],
])('refuses %s, naming the task', (_, fault, sentence) => {
  const broken = {
    ...workflow,
    tasks: workflow.tasks.map((one) => (one.name === 'see' ? { ...one, ...fault } : one)),
  }
  const attempt = () => synthesise({ ...request, workflow: broken })
  expect(attempt).toThrow(SynthesisError)
  expect(attempt).toThrow(sentence)
  expect(attempt).toThrow("Task 'see'")
})

it('gives the network to the tasks that say so, and to no other', () => {
  const networks = (network: string) =>
    synthesise({
      ...request,
      workflow: {
        ...workflow,
        tasks: workflow.tasks.map((one) => (one.name === 'see' ? { ...one, args: { network } } : one)),
      },
    }).plan.tasks.filter((task) => task.network)
  expect(networks('all').map(({ name }) => name)).toEqual(['see'])
  expect(networks('none')).toEqual([])
})

it('calls tasks on an edge node as functions, also one after another there, but none that runs once for the swarm', () => {
  const { plan, flow } = synthesise({ ...request, placement: { ...hybrid, see: 'edge-node' } })
  expect(plan.links.map(({ transport }) => transport)).toEqual(['thrift', 'cloudevents'])
  expect(flow.some(({ name }) => name === 'see')).toBe(false)
  const later = {
    ...workflow,
    tasks: workflow.tasks.map((one) => (one.name === 'count' ? { ...one, directives: {} } : one)),
  }
  const chained = { sense: 'edge', see: 'edge-node', count: 'edge-node' } as const
  expect(
    synthesise({ ...request, workflow: later, placement: chained }).plan.links.map(
      ({ transport }) => transport,
    ),
  ).toEqual(['thrift', 'cloudevents'])
  expect(() => synthesise({ ...request, placement: { ...hybrid, count: 'edge-node' } })).toThrow(
    "Task 'count' runs once for the swarm, so it cannot run on an edge node; place it in the cloud.",
  )
})

it('refuses a swarm-wide task on a device, and code of one’s own on the fabric', () => {
  expect(() => synthesise({ ...request, placement: { ...hybrid, count: 'edge' } })).toThrow(
    /once for the swarm/,
  )
  expect(() => synthesise({ ...request, placement: { ...hybrid, see: 'fabric' } })).toThrow(
    "Task 'see' runs 'tasks/see.mjs'; only a network function ('nfu:...') can run on the fabric.",
  )
  const moon = { ...hybrid, see: 'moon' as never }
  expect(() => synthesise({ ...request, placement: moon })).toThrow(
    "Task 'see': 'moon' is no tier; the tiers are cloud, edge, fabric, edge-node.",
  )
})

it('refuses a placement of other tasks, and tells every problem at once', () => {
  const { sense, see } = hybrid
  const elsewhere = { elsewhere: 'edge' as const }
  expect(() => synthesise({ ...request, placement: { sense, see } })).toThrow(
    "Task 'count': the placement gives it no tier.",
  )
  expect(() => synthesise({ ...request, placement: { ...hybrid, ...elsewhere } })).toThrow(
    "The placement names 'elsewhere', which is no task of the workflow.",
  )
  const missing = files.filter(({ path }) => !path.endsWith('.mjs'))
  try {
    synthesise({ ...request, files: missing, placement: { ...hybrid, count: 'edge' } })
    expect.unreachable()
  } catch (error) {
    expect((error as SynthesisError).problems).toEqual([
      "Task 'sense': there is no file 'tasks/sense.mjs' in the project; create it, or correct the path.",
      "Task 'see': there is no file 'tasks/see.mjs' in the project; create it, or correct the path.",
      "Task 'count': there is no file 'tasks/count.mjs' in the project; create it, or correct the path.",
      "Task 'count' runs once for the swarm, so it cannot run on a device; place it in the cloud.",
    ])
  }
})

it('keeps a task that has the name of what every object has', () => {
  const odd = {
    ...workflow,
    tasks: workflow.tasks.map((one) => ({
      ...one,
      name: one.name === 'see' ? 'constructor' : one.name,
      children: one.children.map((child) => (child === 'see' ? 'constructor' : child)),
      parents: one.parents.map((parent) => (parent === 'see' ? 'constructor' : parent)),
    })),
  }
  const { sense, count } = hybrid
  expect(() => synthesise({ ...request, workflow: odd, placement: { sense, count } })).toThrow(
    "Task 'constructor': the placement gives it no tier.",
  )
  const placement = [['sense', sense] as const, ['constructor', 'edge'] as const, ['count', count] as const]
  const { plan } = synthesise({ ...request, workflow: odd, placement: Object.fromEntries(placement) })
  expect(plan.links.map(({ transport }) => transport)).toEqual(['wire', 'thrift'])
})
