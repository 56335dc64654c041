import { inputsOf, roleOf } from '@hivemind/workflow'
import { describe, expect, test } from 'vitest'
import { instanceOf, ORCHARD, type Sketch, type Step, VERSIONS } from '../test/instances.ts'
import { edgeTexts, expectRoundTrip } from '../test/roundtrip.ts'
import { ImportError, readWfCommons } from './index.ts'

const read = (sketch: Sketch) => readWfCommons(instanceOf(sketch, '1.5'))
const steps = (...list: Step[]) => read({ steps: list })
const taskOf = (imported: ReturnType<typeof read>, name: string) => {
  const task = imported.workflow.tasks.find((one) => one.name === name)
  if (!task) throw new Error(`There is no ${name}.`)
  return task
}

describe.each(VERSIONS)('schema %s', (version) => {
  const imported = readWfCommons(JSON.stringify(instanceOf(ORCHARD, version)))

  test('tasks, edges and data', () => {
    expectRoundTrip(imported)
    expect(imported.name).toBe('orchard')
    expect(imported.about).toContain(version)
    expect(edgeTexts(imported.workflow)).toEqual([
      'pick_east -> sort',
      'pick_west -> sort',
      'sort -> weigh',
      'weigh -> lock_up',
    ])
    expect(taskOf(imported, 'sort').dataIn).toEqual(['pick_east_out', 'pick_west_out'])
    expect(taskOf(imported, 'lock_up')).toMatchObject({ dataIn: [], dataOut: null })
    expect(inputsOf(imported.workflow)).toEqual(['pick_east_in'])
    expect(imported.workflow.tasks.map(roleOf)).toEqual(Array(5).fill('compute'))
  })

  test('sizes from files, several of a task in one', () => {
    const sizes = Object.fromEntries(imported.workflow.data.map(({ name, size }) => [name, size?.value]))
    expect(sizes).toEqual({
      pick_east_in: 1000,
      pick_east_out: 2_000_000,
      pick_west_out: 3_000_000,
      sort_out: 5_000_000,
      weigh_out: 80,
    })
    expect(imported.profile.tasks.sort?.cloud?.outputBytes.mean).toBe(5_000_000)
    expect(imported.profile.tasks.lock_up?.cloud?.outputBytes.mean).toBe(0)
    expect(imported.notes.join('\n')).toContain("more than one output file ('sort')")
    expect(imported.notes.join('\n')).toContain('On 1 edge the child reads only some of the parent')
    expect(imported.notes.join('\n')).toContain('500 kB more')
  })

  test("runtimes on the reference core, by the machine's speed", () => {
    const ms = (name: string) => imported.profile.tasks[name]?.edge?.serviceMs.mean
    expect([ms('pick_east'), ms('pick_west'), ms('sort'), ms('weigh'), ms('lock_up')]).toEqual([
      1000, 1500, 1000, 0, 2000,
    ])
    expect(imported.profile.tasks.sort?.origin).toBe('measured')
    expect(imported.notes.join('\n')).toContain('1200 to 4800 MHz')
    const plain = readWfCommons(instanceOf(ORCHARD, version), { referenceMHz: null })
    expect(plain.profile.tasks.sort?.cloud?.serviceMs.mean).toBe(500)
  })
})

describe('what the language cannot say as it is', () => {
  test('names are valid, unique in any case, and the original stays', () => {
    const ids = [
      'a.b',
      'a#b',
      'A_B',
      '1st',
      'class',
      'None',
      '__proto__',
      'constructor',
      'ä ö',
      '日本',
      'x'.repeat(300),
    ]
    const imported = steps(...ids.map((id) => ({ id, runtime: 1, writes: [`${id}.out`] })))
    expectRoundTrip(imported)
    const names = imported.workflow.tasks.map(({ name }) => name)
    expect(names.slice(0, 9)).toEqual([
      'a_b',
      'a_b_2',
      'A_B_3',
      't_1st',
      'class',
      'None_task',
      'proto',
      'constructor_task',
      'a_o',
    ])
    expect(imported.workflow.tasks.map(({ name, args }) => args.traceId ?? name)).toEqual(ids)
    expect(Object.keys(imported.profile.tasks).sort()).toEqual([...names].sort())
  })

  test('a data name never meets that of a task', () => {
    expectRoundTrip(steps({ id: 'a', writes: ['f'] }, { id: 'a_out', parents: ['a'], reads: ['f'] }))
  })

  test('times and sizes that are missing are assumed, and noted', () => {
    const imported = steps({ id: 'a', writes: ['f'] }, { id: 'b', parents: ['a'], reads: ['f'], runtime: 2 })
    expect(imported.profile.tasks.a?.origin).toBe('assumed')
    expect(imported.profile.tasks.b?.origin).toBe('measured')
    expect(imported.workflow.data[0]?.size).toBeUndefined()
    expect(imported.notes.join('\n')).toContain("One task without a runtime ('a')")
    expect(imported.notes.join('\n')).toContain("1 file without a size ('f')")
    expect(imported.notes.join('\n')).toContain('does not give the speed')
  })

  test('an edge on one side only, and one that only a file shows', () => {
    const imported = steps(
      { id: 'a', children: ['b'], writes: ['f'] },
      { id: 'b', reads: ['f'] },
      { id: 'c', reads: ['f'] },
    )
    expect(edgeTexts(imported.workflow)).toEqual(['a -> b', 'a -> c'])
    expect(imported.notes.join('\n')).toContain("only the parent names ('a -> b')")
    expect(imported.notes.join('\n')).toContain(
      "1 edge was added, from the task that writes a file to one that reads it ('a -> c')",
    )
  })

  test('a file of several writers, one that is read too early, one from outside behind a parent', () => {
    const imported = steps(
      { id: 'early', reads: ['late.txt'], writes: ['log'] },
      { id: 'late', parents: ['early'], reads: ['log', 'weather'], writes: ['late.txt', 'log'] },
      { id: 'other', reads: ['log'] },
    )
    expectRoundTrip(imported)
    expect(edgeTexts(imported.workflow)).toEqual(['early -> late'])
    const notes = imported.notes.join('\n')
    expect(notes).toContain("written by more than one task ('log')")
    expect(notes).toContain('2 reads of files are not carried over')
    expect(notes).toContain("also read files from outside ('late')")
  })

  test('several cores and unknown tasks of the execution', () => {
    const document = instanceOf({ steps: [{ id: 'a', runtime: 1, cores: 8 }, { id: 'b' }] }, '1.5')
    const { specification } = document.workflow as { specification: { tasks: unknown[] } }
    specification.tasks.pop()
    const notes = readWfCommons(document).notes.join('\n')
    expect(notes).toContain('more than one core')
    expect(notes).toContain("1 task of the execution ('b')")
  })

  test('tasks up to 1.4 that share a name are told apart by their id', () => {
    const task = (id: string, parents: string[]) => ({ name: 'step', id, parents, files: [] })
    const document = (parents: string[]) => ({
      name: 'x',
      schemaVersion: '1.4',
      workflow: { tasks: [task('1', []), task('2', parents)] },
    })
    expect(edgeTexts(readWfCommons(document(['1'])).workflow)).toEqual(['step_1 -> step_2'])
    expect(edgeTexts(readWfCommons(document(['step_1'])).workflow)).toEqual(['step_1 -> step_2'])
    expect(() => readWfCommons(document(['step']))).toThrow('the name of more than one task')
  })
})

describe('what is wrong is said with its place', () => {
  const specification = (tasks: unknown, files: unknown = []) => ({
    name: 'x',
    schemaVersion: '1.5',
    workflow: { specification: { tasks, files } },
  })
  const task = (id: unknown, more: object = {}) => ({ id, name: 'n', parents: [], children: [], ...more })
  const run = (more: object) => {
    const document = specification([task('a')])
    return { ...document, workflow: { ...document.workflow, execution: more } }
  }

  test.each<[unknown, string, RegExp]>([
    ['', 'the whole file', /not JSON/],
    ['{"name": ', 'the whole file', /not JSON/],
    ['[[['.repeat(100_000), 'the whole file', /not JSON/],
    ['nonsense\u0000'.repeat(1000), 'the whole file', /not JSON/],
    ['null', 'the whole file', /an object belongs here, not null/],
    ['[]', 'the whole file', /not a list/],
    ['{}', 'schemaVersion', /is missing; is this a WfCommons instance/],
    [{ schemaVersion: '1.2' }, 'schemaVersion', /'1.2' is not read, only 1.3, 1.4, 1.5/],
    [{ schemaVersion: 1.5 }, 'schemaVersion', /not the number 1.5/],
    [{ schemaVersion: '1.5' }, 'workflow', /is missing/],
    [{ schemaVersion: '1.5', workflow: {} }, 'workflow.specification', /is missing/],
    [
      { schemaVersion: '1.4', workflow: { specification: {} } },
      'workflow.tasks',
      /correct the schemaVersion/,
    ],
    [specification('a'), 'workflow.specification.tasks', /not the text 'a'/],
    [specification([]), 'its tasks', /there are none/],
    [specification([7]), 'workflow.specification.tasks[0]', /not the number 7/],
    [specification([task(undefined)]), 'workflow.specification.tasks[0].id', /missing/],
    [specification([task(7)]), 'workflow.specification.tasks[0].id', /not the number 7/],
    [specification([task('a'), task('a')]), 'workflow.specification.tasks[1]', /two tasks with the id 'a'/],
    [
      specification([task('a', { parents: ['ghost'] })]),
      'workflow.specification.tasks[0].parents[0]',
      /'ghost' is no task of this file/,
    ],
    [
      specification([task('a', { children: ['ghost'] })]),
      'workflow.specification.tasks[0].children[0]',
      /'ghost' is no task of this file/,
    ],
    [
      specification([task('a', { parents: [7] })]),
      'workflow.specification.tasks[0].parents[0]',
      /not the number 7/,
    ],
    [
      specification([task('a', { parents: 'b' })]),
      'workflow.specification.tasks[0].parents',
      /a list belongs here/,
    ],
    [
      specification([task('a', { parents: ['a'] })]),
      'workflow.specification.tasks[0]',
      /form a cycle, so none of them can start: 'a' -> 'a'/,
    ],
    [
      specification([
        task('z'),
        task('a', { parents: ['z', 'c'] }),
        task('b', { parents: ['a'] }),
        task('c', { parents: ['b'] }),
      ]),
      'workflow.specification.tasks[2]',
      /form a cycle, so none of them can start: 'b' -> 'c' -> 'a' -> 'b'/,
    ],
    [
      specification([task('a')], [{ id: 'f', sizeInBytes: -1 }]),
      'workflow.specification.files[0].sizeInBytes',
      /a number from 0 to 1000000000000000 belongs here, not the number -1/,
    ],
    [
      specification([task('a')], [{ id: 'f', sizeInBytes: '9' }]),
      'workflow.specification.files[0].sizeInBytes',
      /text '9'/,
    ],
    [specification([task('a')], [{ sizeInBytes: 9 }]), 'workflow.specification.files[0].id', /missing/],
    [
      run({ tasks: [{ id: 'a', runtimeInSeconds: -2 }] }),
      'workflow.execution.tasks[0].runtimeInSeconds',
      /number -2/,
    ],
    [run({ tasks: [{ id: 'a' }, { id: 'a' }] }), 'workflow.execution.tasks[1].id', /'a' is there twice/],
    [run({}), 'workflow.execution.tasks', /missing/],
    [
      run({ tasks: [], machines: [{ nodeName: 'm', cpu: { speedInMHz: -5 } }] }),
      'workflow.execution.machines[0].cpu.speedInMHz',
      /number -5/,
    ],
    [
      {
        schemaVersion: '1.3',
        workflow: { tasks: [{ name: 'a', parents: [], files: [{ name: 'f', link: 'both' }] }] },
      },
      'workflow.tasks[0].files[0].link',
      /'input' or 'output' belongs here, not the text 'both'/,
    ],
    [{ schemaVersion: '1.3', workflow: { tasks: [{ parents: [] }] } }, 'workflow.tasks[0].name', /missing/],
  ])('%#: %j', (document, where, message) => {
    expect(() => readWfCommons(document)).toThrow(ImportError)
    expect(() => readWfCommons(document)).toThrow(message)
    expect(() => readWfCommons(document)).toThrow(expect.objectContaining({ where }))
  })

  test('too large: text, tasks, edges', () => {
    const long = `${' '.repeat(64 * 1024 * 1024)}{}`
    expect(() => readWfCommons(long)).toThrow(/characters; at most 67108864 are read/)
    const many = Array.from({ length: 10_001 }, (_, at) => task(`t${at}`))
    expect(() => readWfCommons(specification(many))).toThrow(/10001; at most 10000 are read/)
    const ids = Array.from({ length: 1500 }, (_, at) => `t${at}`)
    const dense = ids.map((id, at) => task(id, { parents: ids.slice(0, at) }))
    expect(() => readWfCommons(specification(dense))).toThrow(/more than 1000000 edges/)
  })

  test('a hostile text in a message stays short and on one line', () => {
    const document = specification([task('a', { parents: [`x\n${'y'.repeat(1e6)}`] })])
    expect(() => readWfCommons(document)).toThrow(/'x y{70,80}\.\.\.' is no task/)
  })
})
