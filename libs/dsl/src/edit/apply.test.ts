import { describe, expect, test } from 'vitest'
import { applyChanges, applyEdit, check, EditError, type GraphEdit } from '../index.ts'

/** A text with everything an edit could spoil. */
const TEXT = `# Patrol, spring edition  (don't tidy)
TaskGraph(list=["plan", 'look',
                'report'],   # in order
          constraint=dict(execTime='10s'))

Data(frames, kind='stream', rate='8/s')  # measured in May

Task("plan",map,  route, 'tasks/plan.py', childTask=["look"])

# The cameras.
Task(look, None, frames,
     'tasks/look.py',
     speed = 4,          # m/s
     mode='color',
     parentTask=['plan'], childTask=['report'])


Task(report, frames, None, 'tasks/report.mjs',
    parentTask=[
        'look',  # the only one
    ],
    childTask=[],
)

Serial(plan, look); Persist(look)   # both needed
Place(look,"Edge:all")
`

const edited = (edit: GraphEdit, text = TEXT) => {
  const result = applyEdit(text, edit)
  expect(applyChanges(text, result.changes)).toBe(result.text)
  return result.text
}

/** The edit is this replacement and nothing else. */
const expectReplaced = (edit: GraphEdit, ...pairs: [string, string][]) => {
  let expected = TEXT
  for (const [before, after] of pairs) {
    expect(expected.split(before)).toHaveLength(2)
    expected = expected.replace(before, () => after)
  }
  expect(edited(edit)).toBe(expected)
}

test('the text itself is fine', () => {
  expect(check(TEXT).diagnostics).toEqual([])
})

describe('only what is concerned changes', () => {
  test.each<[string, GraphEdit, ...[string, string][]]>([
    [
      'an argument, in its place',
      { kind: 'setArg', task: 'look', arg: 'speed', value: 5 },
      ['speed = 4,', 'speed = 5,'],
    ],
    [
      'an argument, in its quotes',
      { kind: 'setArg', task: 'look', arg: 'mode', value: "it's" },
      ["mode='color'", String.raw`mode='it\'s'`],
    ],
    [
      'an argument to None',
      { kind: 'setArg', task: 'look', arg: 'mode', value: { none: true } },
      ["mode='color'", 'mode=None'],
    ],
    [
      'an argument that goes, not its comment',
      { kind: 'setArg', task: 'look', arg: 'speed', value: null },
      ['speed = 4,          # m/s', '# m/s'],
    ],
    [
      'an argument that goes with its line',
      { kind: 'setArg', task: 'look', arg: 'mode', value: null },
      ["     mode='color',\n", ''],
    ],
    [
      'an argument that comes',
      { kind: 'setArg', task: 'plan', arg: 'gain', value: [1, 'a'] },
      ['childTask=["look"])', 'childTask=["look"], gain=[1, \'a\'])'],
    ],
    [
      'a new last line of arguments',
      { kind: 'setArg', task: 'report', arg: 'gain', value: true },
      ['    childTask=[],\n', '    childTask=[],\n    gain=True,\n'],
    ],
    ['the code', { kind: 'setCode', task: 'look', code: 'tasks/see.py' }, ['tasks/look.py', 'tasks/see.py']],
    [
      'the data written',
      { kind: 'setDataOut', task: 'report', dataOut: 'summary' },
      ['frames, None,', 'frames, summary,'],
    ],
    [
      'the data read',
      { kind: 'setDataIn', task: 'report', dataIn: ['frames', 'route'] },
      ['report, frames,', 'report, [frames, route],'],
    ],
    ['no data read', { kind: 'setDataIn', task: 'report', dataIn: [] }, ['report, frames,', 'report, None,']],
    [
      'a constraint',
      { kind: 'setConstraint', key: 'execTime', value: '2min' },
      ["execTime='10s'", "execTime='2min'"],
    ],
    [
      'a second constraint',
      { kind: 'setConstraint', key: 'cost', value: '0.40$/h' },
      ["'10s')", "'10s', cost='0.40$/h')"],
    ],
    [
      'the last constraint goes',
      { kind: 'setConstraint', key: 'execTime', value: null },
      [
        "'report'],   # in order\n          constraint=dict(execTime='10s'))",
        "'report']   # in order\n          )",
      ],
    ],
    [
      'a field of data',
      { kind: 'setData', data: 'frames', fields: { rate: '9/s' } },
      ["rate='8/s'", "rate='9/s'"],
    ],
    [
      'a new field of data',
      { kind: 'setData', data: 'frames', fields: { size: '2MB' } },
      ["rate='8/s')", "rate='8/s', size='2MB')"],
    ],
    [
      'new data',
      { kind: 'setData', data: 'route', fields: { kind: 'object' } },
      ['# measured in May\n', "# measured in May\nData(route, kind='object')\n"],
    ],
    [
      'a description goes, not its comment',
      { kind: 'setData', data: 'frames', fields: null },
      ["Data(frames, kind='stream', rate='8/s')  # measured", '# measured'],
    ],
    [
      'a placement',
      { kind: 'setDirective', task: 'look', directive: 'place', value: 'Edge:drone' },
      ['"Edge:all"', '"Edge:drone"'],
    ],
    [
      'a placement goes',
      { kind: 'setDirective', task: 'look', directive: 'place', value: null },
      ['Place(look,"Edge:all")\n', ''],
    ],
    [
      'the second statement of a line goes',
      { kind: 'setDirective', task: 'look', directive: 'persist', value: null },
      ['; Persist(look)', ''],
    ],
    [
      'the first statement of a line goes',
      { kind: 'setRelation', a: 'look', b: 'plan', relation: null },
      ['Serial(plan, look); ', ''],
    ],
    [
      'a directive comes behind those of its task',
      { kind: 'setDirective', task: 'look', directive: 'isolate', value: true },
      ['"Edge:all")\n', '"Edge:all")\nIsolate(look)\n'],
    ],
    [
      'a barrier',
      { kind: 'setDirective', task: 'report', directive: 'synchronize', value: { kind: 'count', count: 3 } },
      ['"Edge:all")\n', '"Edge:all")\nSynchronize(report, \'3\')\n'],
    ],
    [
      'a schedule',
      { kind: 'setDirective', task: 'plan', directive: 'schedule', value: { priority: 2, deadline: '1s' } },
      ['"Edge:all")\n', '"Edge:all")\nSchedule(plan, priority=2, deadline=\'1s\')\n'],
    ],
    [
      'a schedule with what happens to late work',
      {
        kind: 'setDirective',
        task: 'plan',
        directive: 'schedule',
        value: { deadline: '1s', onMiss: 'drop' },
      },
      ['"Edge:all")\n', "\"Edge:all\")\nSchedule(plan, deadline='1s', onMiss='drop')\n"],
    ],
    [
      'the scope of a relation',
      { kind: 'setRelation', a: 'plan', b: 'look', relation: 'serial', scope: 'swarm' },
      ['Serial(plan, look)', "Serial(plan, look, scope='swarm')"],
    ],
    [
      'a relation with a scope comes behind its line',
      { kind: 'setRelation', a: 'look', b: 'report', relation: 'serial', scope: 'swarm' },
      ['# both needed\n', "# both needed\nSerial(look, report, scope='swarm')\n"],
    ],
    [
      'a relation of another kind',
      { kind: 'setRelation', a: 'plan', b: 'look', relation: 'overlap' },
      ['Serial(plan', 'Overlap(plan'],
    ],
    [
      'a relation comes behind its line',
      { kind: 'setRelation', a: 'look', b: 'report', relation: 'overlap' },
      ['# both needed\n', '# both needed\nOverlap(look, report)\n'],
    ],
    [
      'a disconnected edge',
      { kind: 'disconnect', from: 'plan', to: 'look' },
      ['childTask=["look"]', 'childTask=[]'],
      ["parentTask=['plan']", 'parentTask=[]'],
    ],
    [
      'a disconnected edge with its data',
      { kind: 'disconnect', from: 'look', to: 'report', data: true },
      ["childTask=['report']", 'childTask=[]'],
      ["        'look',  # the only one\n", '        # the only one\n'],
      ['Task(report, frames,', 'Task(report, None,'],
    ],
    [
      'a disconnected edge whose data the child does not read',
      { kind: 'disconnect', from: 'plan', to: 'look', data: true },
      ['childTask=["look"]', 'childTask=[]'],
      ["parentTask=['plan']", 'parentTask=[]'],
    ],
    [
      'an edge out of a list on many lines',
      { kind: 'disconnect', from: 'look', to: 'report' },
      ["childTask=['report']", 'childTask=[]'],
      ["        'look',  # the only one\n", '        # the only one\n'],
    ],
    [
      'an edge into a list on many lines',
      { kind: 'connect', from: 'plan', to: 'report' },
      ['["look"]', '["look", "report"]'],
      ["'look',  # the only one\n", "'look',  # the only one\n        'plan',\n"],
    ],
    [
      'an edge with data',
      { kind: 'connect', from: 'plan', to: 'report', data: true },
      ['["look"]', '["look", "report"]'],
      ["'look',  # the only one\n", "'look',  # the only one\n        'plan',\n"],
      ['report, frames,', 'report, [frames, route],'],
    ],
    ['nothing at all', { kind: 'setDirective', task: 'look', directive: 'place', value: 'Edge:all' }],
    ['nothing at all, again', { kind: 'setArg', task: 'look', arg: 'mode', value: 'color' }],
  ])('%s', (_name, edit, ...pairs) => expectReplaced(edit, ...pairs))
})

test('a relation that loses its scope or becomes another keeps the rest of its statement', () => {
  const text = TEXT.replace('Serial(plan, look)', "Serial( plan,\n  look, # later\n  scope='swarm')")
  const edit = { kind: 'setRelation', a: 'plan', b: 'look' } as const
  expect(edited({ ...edit, relation: 'serial' }, text)).toContain('Serial( plan,\n  look # later\n  );')
  expect(edited({ ...edit, relation: 'overlap' }, text)).toContain('Overlap( plan,\n  look # later\n  );')
  expect(edited({ ...edit, relation: 'serial', scope: 'swarm' }, text)).toBe(text)
})

test('a renamed task is renamed everywhere, in the quotes it had, and not in comments', () => {
  const text = `# look sharp\n${TEXT}`
  const after = edited({ kind: 'renameTask', task: 'look', to: 'watch' }, text)
  expect(after).toBe(text.replaceAll(/(?<=[('"]|plan, )look(?=[,)'"])/g, 'watch'))
  expect(after).toContain('# look sharp')
  expect(check(after).diagnostics).toEqual([])
})

test('a removed task leaves no trace but its comments', () => {
  const after = edited({ kind: 'removeTask', task: 'look' })
  expect(after).toBe(`# Patrol, spring edition  (don't tidy)
TaskGraph(list=["plan",
                'report'],   # in order
          constraint=dict(execTime='10s'))

Data(frames, kind='stream', rate='8/s')  # measured in May

Task("plan",map,  route, 'tasks/plan.py', childTask=[])

# The cameras.


Task(report, frames, None, 'tasks/report.mjs',
    parentTask=[
        # the only one
    ],
    childTask=[],
)

# both needed
`)
})

test('a new task comes behind the last one, in the list and to its parents', () => {
  const after = edited({
    kind: 'addTask',
    task: {
      name: 'alarm',
      code: 'tasks/alarm.py',
      dataIn: ['frames'],
      parents: ['look'],
      args: { loud: true },
    },
  })
  expect(after).toContain(
    "    childTask=[],\n)\n\nTask(alarm, frames, None, 'tasks/alarm.py', loud=True, parentTask=['look'], childTask=[])\n\nSerial",
  )
  expect(after).toContain("                'report',\n                'alarm'],   # in order")
  expect(after).toContain("childTask=['report', 'alarm'])")
  expect(check(after).diagnostics).toEqual([])
})

test('an empty text becomes a workflow', () => {
  const text = edited(
    {
      kind: 'batch',
      edits: [
        { kind: 'addTask', task: { name: 'a', code: 'a.py', dataOut: 'x' } },
        { kind: 'addTask', task: { name: 'b', code: 'b.py' } },
        { kind: 'connect', from: 'a', to: 'b', data: true },
        { kind: 'setConstraint', key: 'latency', value: '1s' },
        { kind: 'setDirective', task: 'b', directive: 'learn', value: 'Off' },
        { kind: 'setRelation', a: 'a', b: 'b', relation: 'serial' },
      ],
    },
    '',
  )
  expect(text).toBe(`TaskGraph(list=['a', 'b'], constraint=dict(latency='1s'))

Task(a, None, x, 'a.py', parentTask=None, childTask=['b'])

Task(b, x, None, 'b.py', parentTask=['a'], childTask=[])

Serial(a, b)

Learn(b, 'Off')
`)
  expect(check(text).diagnostics).toEqual([])
})

test('line ends and the last line are kept as they are', () => {
  const text = TEXT.replaceAll('\n', '\r\n').trimEnd()
  const after = edited({ kind: 'addTask', task: { name: 'alarm', code: 'a.py' } }, text)
  expect(after.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/)
  expect(after.endsWith('Place(look,"Edge:all")')).toBe(true)
})

test('a batch is one step, and all or nothing', () => {
  const add: GraphEdit = { kind: 'addTask', task: { name: 'x', code: 'x.py' } }
  expect(applyEdit(TEXT, { kind: 'batch', edits: [add, { kind: 'removeTask', task: 'x' }] })).toEqual({
    text: TEXT,
    changes: [],
  })
  expect(() => applyEdit(TEXT, { kind: 'batch', edits: [add, add] })).toThrow(EditError)
})

test('a text with faults of meaning can be edited', () => {
  const text =
    "Task(a, nothing, x, 'a.py', childTask=['gone'])\nIsolate(zebra)\nTask(a, None, x, 'a.py')\nimport os\n"
  expect(edited({ kind: 'setArg', task: 'a', arg: 'k', value: 1 }, text)).toBe(
    text.replace("['gone'])", "['gone'], k=1)"),
  )
})

describe('what makes no sense is refused with a reason', () => {
  test.each<[GraphEdit, RegExp]>([
    [{ kind: 'removeTask', task: 'zebra' }, /no task 'zebra'/],
    [{ kind: 'addTask', task: { name: 'look', code: 'a.py' } }, /'look' already/],
    [{ kind: 'addTask', task: { name: 'two words', code: 'a.py' } }, /cannot be the name of a task/],
    [
      { kind: 'addTask', task: { name: 'x', code: 'a.py', args: { class: 1 } } },
      /'class' cannot be the name of an argument/,
    ],
    [
      { kind: 'addTask', task: { name: 'x', code: 'a.py', parents: ['report'], children: ['plan'] } },
      /cannot run between/,
    ],
    [{ kind: 'renameTask', task: 'look', to: 'plan' }, /'plan' already/],
    [{ kind: 'renameData', data: 'frames', to: 'route' }, /'route' already/],
    [{ kind: 'connect', from: 'report', to: 'plan' }, /close a cycle/],
    [{ kind: 'connect', from: 'look', to: 'look' }, /own parent/],
    [{ kind: 'connect', from: 'report', to: 'look', data: true }, /cycle/],
    [{ kind: 'disconnect', from: 'plan', to: 'report' }, /no edge/],
    [{ kind: 'setCode', task: 'look', code: ' ' }, /empty/],
    [{ kind: 'setArg', task: 'look', arg: 'parentTask', value: [] }, /edit of its own/],
    [{ kind: 'setArg', task: 'look', arg: 'x', value: Number.NaN }, /finite/],
    [{ kind: 'setDirective', task: 'look', directive: 'place', value: 'Moon' }, /no placement/],
    [{ kind: 'setDirective', task: 'look', directive: 'schedule', value: { deadline: 'soon' } }, /'200ms'/],
    [
      { kind: 'setDirective', task: 'look', directive: 'schedule', value: { deadline: '48h' } },
      /from 1us to 24h/,
    ],
    [
      { kind: 'setDirective', task: 'look', directive: 'schedule', value: { wish: 'soon' } as object },
      /no argument 'wish'/,
    ],
    [{ kind: 'setRelation', a: 'look', b: 'plan', relation: 'overlap', scope: 'swarm' }, /Only Serial/],
    [{ kind: 'setConstraint', key: 'power', value: '5J' }, /no limit for power/],
    [{ kind: 'setConstraint', key: 'execTime', value: '3 bananas' }, /no limit for execTime/],
    [{ kind: 'setData', data: 'frames', fields: { type: 'jpeg' } }, /media type/],
    [{ kind: 'setRelation', a: 'look', b: 'look', relation: 'serial' }, /two different tasks/],
  ])('%j', (edit, reason) => {
    expect(() => applyEdit(TEXT, edit)).toThrow(EditError)
    expect(() => applyEdit(TEXT, edit)).toThrow(reason)
  })

  test('faulty syntax', () => {
    expect(() =>
      applyEdit(TEXT.replace("'tasks/plan.py'", "'tasks/plan.py"), { kind: 'removeTask', task: 'look' }),
    ).toThrow(/line 8.*Fix it first/)
  })
})
