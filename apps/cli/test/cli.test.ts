/** The quick commands: their answers, what they say, and their exit codes. */
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { helloSwarm, hivemind, killRunning, type Outcome, scratchProject } from './command.ts'

const FINE = 0
const WORKFLOW = 1
const USAGE = 2
const OTHER = 3

let folder: string
let project: string
let workflow: string
let remove: () => Promise<void>

beforeAll(async () => {
  ;({ folder, project, remove } = await scratchProject())
  workflow = path.join(project, 'hello-swarm.hive.py')
})
afterAll(async () => {
  killRunning()
  await remove()
})

/** A workflow file of its own in the scratch project. */
async function write(name: string, text: string | Uint8Array): Promise<string> {
  const file = path.join(folder, name)
  await mkdir(path.dirname(file), { recursive: true })
  await writeFile(file, text)
  return file
}

function json<T>({ stdout, stderr, code }: Outcome, expected = FINE): T {
  expect(stderr).not.toMatch(/^\s+at /m)
  expect(code).toBe(expected)
  return JSON.parse(stdout) as T
}

const small = `TaskGraph(list=['sense', 'sum'])
Task(sense, None, reading, 'tasks/sense.mjs', childTask=['sum'])
Task(sum, reading, total, 'tasks/sum.mjs', parentTask=['sense'], sync='all')
`

interface Diagnosis {
  diagnostics: {
    code: string
    severity: string
    from: number
    to: number
    line: number
    column: number
    message: string
    fixes: unknown[]
  }[]
}

describe('check', () => {
  it('says that a good workflow is good', async () => {
    const outcome = await hivemind('check', helloSwarm, '--json')
    expect(json<Diagnosis>(outcome)).toEqual({ diagnostics: [] })
  })

  it('lists what is wrong with place, sentence and fixes, and mends what is certain', async () => {
    const text = small.replace("childTask=['sum']", "childTask=['summ']")
    const file = await write('broken/broken.hive.py', text)
    const { diagnostics } = json<Diagnosis>(await hivemind('check', file, '--json'), WORKFLOW)
    expect(diagnostics.length).toBeGreaterThan(0)
    for (const diagnostic of diagnostics) {
      expect(diagnostic).toMatchObject({
        code: expect.stringMatching(/^HM\d{3}$/),
        severity: expect.stringMatching(/^(error|warning|hint)$/),
        from: expect.any(Number),
        to: expect.any(Number),
        line: expect.any(Number),
        column: expect.any(Number),
        message: expect.stringMatching(/\w.*[.?]$/s),
        fixes: expect.any(Array),
      })
      const before = text.slice(0, diagnostic.from).split('\n')
      expect([diagnostic.line, diagnostic.column]).toEqual([before.length, (before.at(-1) ?? '').length + 1])
      expect(diagnostic.to).toBeGreaterThanOrEqual(diagnostic.from)
    }
    const plain = await hivemind('check', file)
    expect(plain.code).toBe(WORKFLOW)
    expect(plain.stdout).toContain(`${file}:${diagnostics[0]?.line}:${diagnostics[0]?.column}: `)

    const fixed = await hivemind('check', file, '--fix')
    expect(fixed.stderr).toContain("fixed: Write 'sum'")
    expect(fixed.code).toBe(FINE)
    expect(await readFile(file, 'utf8')).toContain("childTask=['sum']")
  })

  it('leaves a file it has nothing to mend in as it is', async () => {
    const before = await stat(workflow)
    expect((await hivemind('check', project, '--fix')).code).toBe(FINE)
    expect((await stat(workflow)).mtimeMs).toBe(before.mtimeMs)
  })
})

describe('fmt', () => {
  const wild = `# Why it is so.\n${small.replaceAll(', ', ' ,   ')}# The end.\n`

  it('keeps comments and meaning, writes only when told, and then has nothing left to do', async () => {
    const file = await write('wild/wild.hive.py', wild)
    const { changed, text } = json<{ changed: boolean; text: string }>(await hivemind('fmt', file, '--json'))
    expect(changed).toBe(true)
    expect(text).toContain('# Why it is so.')
    expect(text).toContain('# The end.')
    expect((await hivemind('fmt', file)).stdout).toBe(text)
    expect(await readFile(file, 'utf8')).toBe(wild)
    expect((await hivemind('fmt', file, '--check')).code).toBe(WORKFLOW)
    expect((await hivemind('fmt', file, '--write')).code).toBe(FINE)
    expect(await readFile(file, 'utf8')).toBe(text)
    expect((await hivemind('fmt', file, '--check')).code).toBe(FINE)
  })

  it('refuses what cannot be read, and leaves it alone', async () => {
    const file = await write('torn/torn.hive.py', 'Task(sense, None\n')
    const outcome = await hivemind('fmt', file, '--write')
    expect(outcome.code).toBe(WORKFLOW)
    expect(outcome.stderr).toContain('errors of syntax')
    expect(await readFile(file, 'utf8')).toBe('Task(sense, None\n')
  })
})

it('graph prints tasks and edges', async () => {
  const { stdout, code } = await hivemind('graph', helloSwarm)
  expect(code).toBe(FINE)
  expect(stdout).toMatch(/readSensor +-> +judge +reading/)
  const graph = json<{ schema: string; tasks: { name: string }[] }>(
    await hivemind('graph', helloSwarm, '--json'),
  )
  expect(graph.schema).toBe('hivemind.workflow/1')
  expect(graph.tasks.map(({ name }) => name)).toEqual(['readSensor', 'judge', 'summary'])
})

describe('explore', () => {
  it('gives every candidate with its figures, and the same bytes for the same seed', async () => {
    const args = ['explore', helloSwarm, '--seed', '7', '--devices', '4', '--items', '20', '--json']
    const [first, second] = [await hivemind(...args), await hivemind(...args)]
    expect(second.stdout).toBe(first.stdout)
    const { candidates, front, pruned } = json<{
      candidates: { id: string; placement: Record<string, string>; pareto: boolean }[]
      front: string[]
      pruned: unknown
    }>(first)
    expect(candidates.length).toBeGreaterThan(1)
    for (const candidate of candidates) {
      expect(candidate).toMatchObject({
        id: expect.any(String),
        placement: {
          readSensor: 'edge',
          judge: expect.stringMatching(/^(edge|cloud|fabric)$/),
          summary: 'cloud',
        },
        latencyMs: { p50: expect.any(Number), p99: expect.any(Number) },
        energyJ: expect.any(Number),
        bandwidthMBps: expect.any(Number),
        costPerHour: expect.any(Number),
        pareto: expect.any(Boolean),
        meets: expect.any(Boolean),
      })
    }
    expect([...front].sort()).toEqual(
      candidates
        .filter(({ pareto }) => pareto)
        .map(({ id }) => id)
        .sort(),
    )
    expect(pruned).toEqual({ count: expect.any(Number), byRule: expect.any(Object) })
  })

  it('gives other figures for another seed', async () => {
    const of = (seed: string) => hivemind('explore', helloSwarm, '--seed', seed, '--devices', '4', '--json')
    expect((await of('1')).stdout).not.toBe((await of('2')).stdout)
  })
})

describe('synth', () => {
  it('writes plan, IDL, flow and manifests, twice the same', async () => {
    const placement = await write('placement.json', '{"judge": "edge"}')
    const texts: string[][] = []
    for (const name of ['once', 'twice']) {
      const out = path.join(folder, name)
      const outcome = await hivemind('synth', helloSwarm, '--placement', placement, '--out', out, '--json')
      const { plan, bundles, written } = json<{
        plan: { schema: string; placement: unknown }
        bundles: { task: string; hash: string }[]
        written: string[]
      }>(outcome)
      expect(plan).toMatchObject({
        schema: 'hivemind.plan/1',
        placement: { readSensor: 'edge', judge: 'edge', summary: 'cloud' },
      })
      expect(bundles.map(({ task }) => task)).toEqual(['readSensor', 'judge', 'summary'])
      for (const { hash } of bundles) expect(hash).toMatch(/^[0-9a-f]{64}$/)
      expect(written.map((file) => path.relative(out, file))).toEqual([
        'plan.json',
        'hello-swarm.thrift',
        'flows/edge.json',
        'functions/summary.json',
      ])
      texts.push(await Promise.all(written.map((file) => readFile(file, 'utf8'))))
    }
    expect(texts[1]).toEqual(texts[0])
  })
})

describe('deploy --dry-run', () => {
  it('tells what it would start', async () => {
    const outcome = await hivemind(
      'deploy',
      helloSwarm,
      '--placement',
      'judge=edge',
      '--agents',
      '2',
      '--dry-run',
    )
    expect(outcome).toMatchObject({
      code: FINE,
      stdout: 'create function summary\ncreate agent device-1\ncreate agent device-2\n',
    })
  })
})

describe('what goes wrong is one clear sentence and an exit code', () => {
  const out = (name: string) => path.join(folder, name)

  it.each<[string, () => string[] | Promise<string[]>, number, RegExp]>([
    [
      'an unknown file',
      () => ['check', out('no.hive.py')],
      USAGE,
      /There is no file or folder '.*no\.hive\.py'/,
    ],
    [
      'a folder without a workflow',
      async () => ['check', path.dirname(await write('empty/readme.txt', ''))],
      USAGE,
      /holds no workflow/,
    ],
    [
      'a folder with two workflows',
      async () => {
        await write('two/a.hive.py', small)
        return ['graph', path.dirname(await write('two/b.hive.py', small))]
      },
      USAGE,
      /holds 2 workflows \(a\.hive\.py, b\.hive\.py\): name one of them/,
    ],
    [
      'a text that is not UTF-8',
      async () => [
        'fmt',
        '--write',
        await write('latin.hive.py', Buffer.from(`${small}# K\xfche\n`, 'latin1')),
      ],
      WORKFLOW,
      /is not UTF-8 text: save it as UTF-8 \(line 4 is not\)/,
    ],
    [
      'a workflow with errors',
      async () => ['explore', await write('bad/bad.hive.py', 'Task(sense, None\n')],
      WORKFLOW,
      /The workflow has .*error.*bad\.hive\.py:1:/s,
    ],
    [
      'task code that is missing',
      async () => ['synth', await write('bare/bare.hive.py', small), '--out', out('never')],
      WORKFLOW,
      /tasks\/sense\.mjs/,
    ],
    ['an unknown option', () => ['check', helloSwarm, '--colour'], USAGE, /unknown option '--colour'/],
    [
      'an unknown command',
      () => ['chekc', helloSwarm],
      USAGE,
      /unknown command 'chekc'.*Did you mean check/s,
    ],
    ['no target', () => ['check'], USAGE, /missing required argument 'workflow'/],
    [
      'an unknown fleet',
      () => ['explore', helloSwarm, '--fleet', 'submarines'],
      USAGE,
      /There is no fleet 'submarines'. Known: .*paper-drones/,
    ],
    [
      'a number out of range',
      () => ['run', helloSwarm, '--agents', '0'],
      USAGE,
      /It must be a whole number from 1 to 64/,
    ],
    [
      'an input that is not JSON',
      () => ['run', helloSwarm, '--input', 'x=y'],
      USAGE,
      /What follows 'x=' must be JSON/,
    ],
    [
      'an inputs file that is no object',
      async () => ['run', helloSwarm, '--inputs', await write('list.json', '[1]')],
      USAGE,
      /The inputs file '.*list\.json' must be a JSON object/,
    ],
    [
      'a profile that is not one',
      async () => ['explore', helloSwarm, '--profile', await write('profile.json', '{"schema": "other/1"}')],
      USAGE,
      /The profile '.*profile\.json' is not valid/,
    ],
    [
      'an output that cannot be written',
      () => ['synth', helloSwarm, '--out', '/proc/hivemind/out'],
      OTHER,
      /The folder '\/proc\/hivemind' cannot be made: /,
    ],
    [
      'an output folder that is a file',
      async () => ['synth', helloSwarm, '--out', await write('file.txt', '')],
      USAGE,
      /file\.txt' is a file: name a folder/,
    ],
    [
      'an output file that is a folder',
      async () => {
        await mkdir(out('clash/plan.json'), { recursive: true })
        return ['synth', helloSwarm, '--out', out('clash')]
      },
      USAGE,
      /plan\.json' is a folder: name a file/,
    ],
    [
      'an unknown stub language',
      () => ['synth', helloSwarm, '--out', out('never'), '--stubs', 'py,cobol'],
      USAGE,
      /'cobol' in --stubs is unknown. Known: cpp, py, js/,
    ],
    [
      'a placement file that is missing',
      () => ['synth', helloSwarm, '--placement', out('none.json'), '--out', out('never')],
      USAGE,
      /The placement '.*none\.json' cannot be read/,
    ],
    [
      'a placement file that is not JSON',
      async () => [
        'synth',
        helloSwarm,
        '--placement',
        await write('p1.json', 'judge: edge'),
        '--out',
        out('never'),
      ],
      USAGE,
      /The placement '.*p1\.json' is not JSON/,
    ],
    [
      'a placement file that names an unknown task',
      async () => [
        'synth',
        helloSwarm,
        '--placement',
        await write('p2.json', '{"judge": "edge", "toString": "edge"}'),
        '--out',
        out('never'),
      ],
      USAGE,
      /The placement '.*p2\.json' names 'toString', which is no task. Tasks: readSensor, judge, summary/,
    ],
    [
      'a placement file with an unknown tier',
      async () => [
        'synth',
        helloSwarm,
        '--placement',
        await write('p3.json', '{"judge": 3}'),
        '--out',
        out('never'),
      ],
      USAGE,
      /gives 'judge' the tier '3', which must be cloud, edge or fabric/,
    ],
    [
      'a placement that is no placement',
      () => ['deploy', helloSwarm, '--placement', 'nearest', '--dry-run'],
      USAGE,
      /'nearest' in --placement must be TASK=cloud, TASK=edge or TASK=fabric/,
    ],
    [
      'a placement that is not possible',
      () => ['deploy', helloSwarm, '--placement', 'summary=edge', '--dry-run'],
      WORKFLOW,
      /This placement is not possible:\n.*summary/,
    ],
  ])('%s', async (_, args, code, sentence) => {
    const outcome = await hivemind(...(await args()))
    expect(outcome.stderr).toMatch(sentence)
    expect(outcome.stderr).not.toMatch(/^\s+at /m)
    expect(outcome.code).toBe(code)
    expect(outcome.stdout).toBe('')
    await expect(stat(out('never'))).rejects.toThrow()
  })
})

describe('help', () => {
  it('lists the commands, and gives an example of each', async () => {
    const { stdout, code } = await hivemind('--help')
    expect(code).toBe(FINE)
    expect(stdout).toContain(
      'Exit codes: 0 fine, 1 the workflow is at fault, 2 usage, 3 something else failed.',
    )
    const commands = [...stdout.matchAll(/^ {2}([a-z]+) \[options\]/gm)].map(([, name]) => name ?? '')
    expect(commands).toEqual(
      expect.arrayContaining(['check', 'fmt', 'graph', 'explore', 'synth', 'deploy', 'run', 'profile']),
    )
    for (const command of commands) {
      const help = await hivemind(command, '--help')
      expect(help.code).toBe(FINE)
      expect(help.stdout).toMatch(new RegExp(`Example:\\n {2}hivemind ${command} \\S`))
      expect(help.stdout).toContain('--json')
    }
  })
})
