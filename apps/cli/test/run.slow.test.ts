/** `hivemind run`, `deploy` and `profile`, really started: what they answer, what they leave behind, and whose fault a fault is. */
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { helloSwarm, hivemind, killRunning, type Running, scratchProject, start } from './command.ts'

let folder: string
let project: string
let remove: () => Promise<void>

beforeEach(async () => {
  ;({ folder, project, remove } = await scratchProject())
})
afterEach(async () => {
  killRunning()
  await remove()
})

/** Everything that descends from a process, by the parents that /proc names. */
async function descendants(root: number): Promise<number[]> {
  const parents = new Map<number, number>()
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue
    const text = await readFile(`/proc/${name}/stat`, 'utf8').catch(() => '')
    // The name of a program may hold blanks and brackets; what follows its last bracket does not.
    const [, parent] = text.slice(text.lastIndexOf(')') + 2).split(' ')
    if (parent !== undefined) parents.set(Number(name), Number(parent))
  }
  const found = [root]
  for (const pid of found)
    found.push(...[...parents].filter(([, parent]) => parent === pid).map(([child]) => child))
  return found.slice(1)
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

async function until(done: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const from = Date.now()
  while (!(await done())) {
    if (Date.now() - from > 60_000) throw new Error(`Waited 60 s in vain: ${what}.`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

/** Sends a signal once the command says `ready`, and returns the processes it had started by then. */
async function interrupt(command: Running, ready: RegExp, signal: NodeJS.Signals): Promise<number[]> {
  let ended = false
  void command.outcome.then(() => {
    ended = true
  })
  await until(() => {
    if (ended) throw new Error(`It ended before it said ${ready}: ${command.said()}`)
    return ready.test(command.said())
  }, `the command says ${ready}`)
  const started = await descendants(command.pid)
  command.kill(signal)
  return started
}

interface Result {
  state: string
  placement: Record<string, string>
  outputs: { data: string; device: string; value: { readings: number } }[]
  spans: {
    task: string
    device: string
    seq: number
    status: string
    breakdown: Record<'network' | 'management' | 'dataExchange' | 'execution', number>
  }[]
  tasks: { task: string; state: string; done: number; failed: number }[]
  losses: string[]
}

it('runs the first example: outputs, and a span for every invocation of every task', async () => {
  const { code, stdout, stderr } = await hivemind('run', helloSwarm, '--items', '5', '--json')
  expect(stderr).toContain('run succeeded')
  expect(code).toBe(0)
  const result = JSON.parse(stdout) as Result
  expect(result.state).toBe('succeeded')
  expect(result.losses).toEqual([])
  expect(result.placement).toMatchObject({ readSensor: 'edge', summary: 'cloud' })
  expect(result.outputs).toMatchObject([{ data: 'report', device: '*', value: { readings: 10 } }])
  expect(result.tasks.map(({ task, state, done, failed }) => [task, state, done, failed])).toEqual([
    ['readSensor', 'done', 2, 0],
    ['judge', 'done', 10, 0],
    ['summary', 'done', 1, 0],
  ])
  const invocations = result.spans.map(({ task, device, seq }) => `${task} ${device} ${seq}`)
  expect(new Set(invocations)).toEqual(
    new Set([
      ...['device-1', 'device-2'].flatMap((device) => [
        `readSensor ${device} 0`,
        ...[0, 1, 2, 3, 4].map((seq) => `judge ${device} ${seq}`),
      ]),
      'summary * 0',
    ]),
  )
  for (const { status, breakdown } of result.spans) {
    expect(status).toBe('ok')
    for (const part of ['network', 'management', 'dataExchange', 'execution'] as const)
      expect(breakdown[part]).toBeGreaterThanOrEqual(0)
  }
})

it('writes a trace of the run that a collector can read, within the trace of its caller', async () => {
  const trace = '4bf92f3577b34da6a3ce929d0e0e4736'
  const file = path.join(folder, 'trace.json')
  const env = { TRACEPARENT: `00-${trace}-00f067aa0ba902b7-01`, OTEL_SERVICE_NAME: 'my-swarm' }
  const command = start(['run', project, '--placement', 'judge=edge', '--items', '2', '--trace', file], env)
  const { code, stderr } = await command.outcome
  expect(code).toBe(0)
  expect(stderr).toContain(`Its trace is in ${file}.`)
  const lines = (await readFile(file, 'utf8')).trimEnd().split('\n')
  expect(lines).toHaveLength(1)
  const { resourceSpans } = JSON.parse(lines[0] ?? '') as {
    resourceSpans: {
      resource: { attributes: { key: string; value: { stringValue: string } }[] }
      scopeSpans: { spans: { traceId: string; name: string }[] }[]
    }[]
  }
  const names = resourceSpans.flatMap(({ resource: { attributes }, scopeSpans }) => {
    const service = attributes.find(({ key }) => key === 'service.name')?.value.stringValue
    return scopeSpans.flatMap(({ spans }) => spans.map(({ name }) => `${service}: ${name}`))
  })
  for (const name of [
    'my-swarm: run hello-swarm',
    'my-swarm-device: readSensor execution',
    'my-swarm-device: judge',
    'my-swarm-dispatcher: summary',
    'my-swarm-function: summary execution',
  ])
    expect(names).toContain(name)
  const traces = resourceSpans.flatMap(({ scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) => spans.map(({ traceId }) => traceId)),
  )
  expect(new Set(traces)).toEqual(new Set([trace]))
})

describe('an interrupt leaves no process behind', () => {
  it.each(['SIGINT', 'SIGTERM'] as const)('of a run, %s', async (signal) => {
    const command = start(['run', project, '--items', '40', '--json'])
    const started = await interrupt(command, /reading station/, signal)
    const { code, stdout, stderr } = await command.outcome
    // Two agents and the processes of their sensors at least.
    expect(started.length).toBeGreaterThanOrEqual(4)
    await until(() => !started.some(isAlive), 'every process has ended')
    expect(code).toBe(3)
    expect(stdout).toBe('')
    expect(stderr).toContain('hivemind: Interrupted; everything that was started has been stopped.')
    expect(stderr).not.toMatch(/^\s+at /m)
  })

  it('of a deployment: it is undeployed, which is what was asked for', async () => {
    const command = start(['deploy', project])
    const started = await interrupt(command, /Deployed on this machine\. Press Ctrl-C/, 'SIGINT')
    const { code, stdout, stderr } = await command.outcome
    expect(started.length).toBeGreaterThanOrEqual(3)
    await until(() => !started.some(isAlive), 'every process has ended')
    expect(code).toBe(0)
    expect(stdout).toContain('agent device-2: ready')
    expect(stderr).toContain('Undeployed.')
  })

  it('of a deployment that is just being made', async () => {
    const command = start(['deploy', project])
    await until(async () => (await descendants(command.pid)).length > 0, 'something is started')
    const started = await descendants(command.pid)
    command.kill('SIGINT')
    const { code, stderr } = await command.outcome
    await until(() => !started.some(isAlive), 'every process has ended')
    // On a slow machine the deployment may be there before the signal.
    expect([0, 3]).toContain(code)
    expect(stderr).not.toMatch(/^\s+at /m)
  })
})

describe('a task that throws is told in one sentence with its author’s lines', () => {
  const throwing = {
    'judge.py': `def helper(value):
    raise ValueError('no such thing')


def run(inputs, args, context):
    return helper(inputs)
`,
    'summary.mjs': `export function run() {
  return undefined.length
}
`,
  }

  it.each([
    ['on the edge', 'judge=edge', 'judge.py', "'judge' on device-", 'ValueError: no such thing', 'in helper'],
    [
      'in the cloud',
      'judge=cloud',
      'judge.py',
      "'judge' on device-",
      'ValueError: no such thing',
      'in helper',
    ],
    [
      'in JavaScript',
      'judge=edge',
      'summary.mjs',
      "'summary'",
      'TypeError: Cannot read properties of undefined',
      'tasks/summary.mjs:2:',
    ],
  ] as const)('%s', async (_, placement, file, who, what, where) => {
    await writeFile(path.join(project, 'tasks', file), throwing[file])
    const { code, stderr } = await hivemind('run', project, '--items', '3', '--placement', placement)
    expect(code).toBe(1)
    const sentences = stderr.split('\n').filter((line) => line.startsWith('hivemind: '))
    expect(sentences).toHaveLength(1)
    expect(sentences[0]).toContain(`hivemind: The run failed: ${who}`)
    expect(sentences[0]).toContain(what)
    const [, stack = ''] = stderr.split(sentences[0] ?? '')
    expect(stack).toContain(`tasks/${file}`)
    expect(stack).toContain(where)
    expectOnlyAuthors(stderr)
    expect(stderr.split(where)).toHaveLength(2)
  })

  it.each([
    ['on the edge', 'judge=edge'],
    ['in the cloud', 'judge=cloud'],
  ])('also when it cannot even be loaded, %s', async (_, placement) => {
    await writeFile(path.join(project, 'tasks/judge.py'), 'def run(inputs, args, context)\n    return 1\n')
    const { code, stderr } = await hivemind('run', project, '--items', '3', '--placement', placement)
    expect(code).toBe(1)
    expect(stderr).toContain("'tasks/judge.py' cannot be loaded: SyntaxError")
    expect(stderr.match(/^hivemind: /gm)).toHaveLength(1)
    expectOnlyAuthors(stderr)
  })

  /** No line of ours, no path of the machine. */
  function expectOnlyAuthors(stderr: string): void {
    expect(stderr).not.toMatch(/libs\/|node:internal|node_modules|host\.py|hivemind-local-/)
  }
})

describe('a Python that does not run is the machine’s fault', () => {
  it.each([
    ['ends at once', true, /'python3' ends as soon as it is started \(exit code 1\)/],
    ['is missing', false, /there is no 'python3' on this machine/],
  ])('when it %s', async (_, linked, what) => {
    const programs = path.join(folder, 'programs')
    await mkdir(programs)
    if (linked) await symlink('/bin/false', path.join(programs, 'python3'))
    const env = { PATH: programs, HIVEMIND_PYTHON: '' }
    for (const args of [
      ['run', project, '--placement', 'judge=edge'],
      ['run', project, '--placement', 'judge=cloud'],
      ['deploy', project],
      ['profile', project],
    ]) {
      const { code, stdout, stderr } = await start(args, env).outcome
      expect(stderr).toMatch(what)
      expect(stderr).toMatch(/^hivemind: Task 'judge' is Python code, and .*: install Python .*\.\n$/)
      expect(code).toBe(3)
      expect(stdout).toBe('')
    }
  })

  it('and does not matter to a workflow without Python', async () => {
    const file = path.join(project, 'hello-swarm.hive.py')
    await writeFile(file, (await readFile(file, 'utf8')).replace('tasks/judge.py', 'tasks/judge.mjs'))
    await writeFile(
      path.join(project, 'tasks/judge.mjs'),
      'export const run = ({ reading }) => ({ ...reading, surface: "dry" })\n',
    )
    const { code, stderr } = await start(['run', project, '--items', '2'], { PATH: folder }).outcome
    expect(stderr).toContain('run succeeded')
    expect(code).toBe(0)
  })
})

it('profile measures every task on every tier and keeps it where it is told', async () => {
  const out = path.join(folder, 'measured.json')
  const { code, stdout } = await hivemind('profile', project, '--items', '3', '--out', out, '--json')
  expect(code).toBe(0)
  const profile = JSON.parse(stdout)
  expect(JSON.parse(await readFile(out, 'utf8'))).toEqual(profile)
  expect(profile).toMatchObject({
    schema: 'hivemind.profile/1',
    tasks: {
      readSensor: { origin: 'measured', edge: { outputsPerInvocation: 3 } },
      judge: { origin: 'measured', cloud: expect.anything(), edge: expect.anything() },
      summary: { origin: 'measured', cloud: expect.anything() },
    },
  })
})
