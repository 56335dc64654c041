import { parseQuantity, type Task, type Workflow } from '@hivemind/workflow'
import { describe, expect, it } from 'vitest'
import { edgeApi, SynthesisError, synthesise } from './index.ts'

const task = (name: string, more: Partial<Task>): Task => ({
  name,
  dataIn: [],
  dataOut: null,
  code: `tasks/${name}.mjs`,
  parents: [],
  children: [],
  args: {},
  directives: {},
  ...more,
})

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

const file = (path: string) => ({ path, hash: path.length.toString(16).padStart(64, '0'), bytes: 10 })
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
    expect(flow.map(({ type }) => type)).toEqual([
      'tab',
      'hivemind-in',
      'hivemind-task',
      'hivemind-task',
      'hivemind-out',
    ])
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
  it('holds the folder of the code and what files= names, and nothing else', () => {
    const { bundles } = synthesise(request)
    expect(bundles[0]?.files.map(({ path }) => path)).toEqual([
      'data/x.png',
      'tasks/count.mjs',
      'tasks/lib/a.mjs',
      'tasks/see.mjs',
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

it('refuses a swarm-wide task on a device, and a fabric that is not there', () => {
  expect(() => synthesise({ ...request, placement: { ...hybrid, count: 'edge' } })).toThrow(
    /once for the swarm/,
  )
  expect(() => synthesise({ ...request, placement: { ...hybrid, see: 'fabric' } })).toThrow(/no fabric/)
})
