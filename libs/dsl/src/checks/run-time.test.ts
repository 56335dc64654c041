/** What `check` says of how a workflow will run: scopes, kinds, state, relations, ranges. */
import { isOp, OP_NAMES, OPS } from '@hivemind/nfu'
import { BOUNDS, stateKeyOf } from '@hivemind/workflow'
import { describe, expect, test } from 'vitest'
import { applyChanges, applyEdit, check, print } from '../index.ts'

/** sense -> decide (a barrier) -> move, with `extra` statements. */
const loop = (extra = '', move = '') => `TaskGraph(list=['sense', 'decide', 'move'])

Data(position, kind='object')

Task(sense, None, position, 'sense.js', parentTask=None, childTask=['decide'])
Task(decide, position, plan, 'decide.js', sync='all', parentTask=['sense'], childTask=['move'])
Task(move, plan, moved, 'move.py'${move}, parentTask=['decide'], childTask=[])
${extra}
`
const codes = (text: string) => check(text).diagnostics.map(({ code }) => code)
const messages = (text: string) => check(text).diagnostics.map(({ message }) => message)

describe('scatter', () => {
  test.each(['', "Place(move, 'Edge:all')", "Place(move, 'Edge:drone')", "Place(move, 'Cloud')"])(
    'a task behind a barrier may be anywhere: %s',
    (place) => expect(codes(loop(place))).toEqual([]),
  )
  test('an actuator behind a barrier is scattered', () => {
    expect(codes(loop('', ", role='actuator'"))).toEqual([])
  })
  test('the barrier itself cannot be on the devices', () => {
    expect(codes(loop("Place(decide, 'Edge:all')"))).toEqual(['HM612'])
    expect(codes(loop().replace("'decide.js',", "'decide.js', role='actuator',"))).toEqual(['HM612'])
    const later = `${loop().replace("sync='all', ", '')}Place(decide, 'Edge:all')\nSynchronize(decide, 'all')\n`
    const [found] = check(later).diagnostics
    expect(found).toMatchObject({ code: 'HM612', line: 10, task: 'decide' })
    expect(codes(applyChanges(later, found?.fixes[0]?.changes ?? []))).toEqual([])
  })
})

describe('Schedule', () => {
  test('has a priority, a deadline and what happens to late work', () => {
    const text = loop("Schedule(move, priority=2, deadline='200ms', onMiss='drop')")
    const { workflow, diagnostics } = check(text)
    expect(diagnostics).toEqual([])
    expect(workflow?.tasks[2]?.directives.schedule).toMatchObject({
      priority: 2,
      deadline: { value: 200 },
      onMiss: 'drop',
    })
    expect(workflow && print(workflow)).toContain(
      "Schedule(move, priority=2, deadline='200ms', onMiss='drop')",
    )
  })
  test('other names are refused', () => {
    const { workflow, diagnostics } = check(loop('Schedule(move, priority=2, policy="fair")'))
    expect(diagnostics).toMatchObject([{ code: 'HM202', severity: 'error' }])
    expect(diagnostics[0]?.message).toContain("'task', 'priority', 'deadline' and 'onMiss'")
    expect(workflow?.tasks[2]?.directives.schedule).toEqual({ priority: 2 })
  })
  test.each([
    ["onMiss='drop'", 'HM611'],
    ["priority=1, onMiss='drop'", 'HM611'],
    ["deadline='1s', onMiss='skip'", 'HM208'],
    ["deadline='25h'", 'HM215'],
    ["deadline='0s'", 'HM215'],
    ["deadline='3J'", 'HM210'],
    ['', 'HM609'],
  ])('Schedule(move, %s): %s', (args, code) => expect(codes(loop(`Schedule(move, ${args})`))).toEqual([code]))
  test('deadline and onMiss may be in two statements', () => {
    expect(codes(loop("Schedule(move, onMiss='drop')\nSchedule(move, deadline='1s')"))).toEqual([])
  })
})

describe('ranges', () => {
  test.each([
    ["timeout='24h'", []],
    ["timeout='9999h'", ['HM215']],
    ["timeout='0s'", ['HM215']],
    ["memory='16MB'", []],
    ["memory='15MB'", ['HM215']],
    ["memory='64GB'", []],
    ["memory='65GB'", ['HM215']],
    ["memory='lots'", ['HM210']],
    ["network='all'", []],
    ["network='none'", []],
    ["network='some'", ['HM208']],
  ])('%s: %j', (argument, expected) => expect(codes(loop('', `, ${argument}`))).toEqual(expected))

  // A sensor waits between items with a timer, and one longer than 24.8 days fires at once.
  test.each([
    ['0.01/h', []],
    ['1000000/s', []],
    ['0.0000001Hz', ['HM215']],
    ['0/s', ['HM215']],
    ['2000000/s', ['HM215']],
  ])('a rate of %s: %j', (rate, expected) => {
    const text = `TaskGraph(list=['a'])\nTask(a, None, x, 'a.py')\nData(x, kind='stream', rate='${rate}')\n`
    expect(codes(text)).toEqual(expected)
    expect(1_000 / BOUNDS.rate.min.value).toBeLessThan(2 ** 31)
    const edit = () => applyEdit(text.replace(rate, '8/s'), { kind: 'setData', data: 'x', fields: { rate } })
    if (expected.length === 0) edit()
    else expect(edit).toThrow('A rate is from 0.01/h to 1000000/s')
  })
})

describe('power', () => {
  const powered = (limit: string) => loop().replace("'move'])", `'move'], constraint=dict(power=${limit}))`)
  test('is a constraint in watts', () => {
    const { workflow, diagnostics } = check(powered("'500mW'"))
    expect(diagnostics).toEqual([])
    expect(workflow?.constraints).toMatchObject([{ key: 'power', limit: { dimension: 'power', value: 0.5 } }])
  })
  test.each(["'5J'", '5'])('and in nothing else: %s', (limit) =>
    expect(codes(powered(limit))).toEqual(['HM702']),
  )
})

describe('state', () => {
  const stream = (code: string, more: string) => `TaskGraph(list=['sense', 'fold'])

Task(sense, None, reading, 'sense.js', parentTask=None, childTask=['fold'])
Task(fold, reading, mean, '${code}'${more}, parentTask=['sense'], childTask=[])
`
  test.each([
    ['fold.js', ", state='device'", []],
    ['fold.js', ", state='zone'", []],
    ['fold.js', ', state=None', []],
    ['fold.js', ', state=3', ['HM205']],
    ['fold.js', ", state=''", ['HM205']],
    ['fold.js', ', state=device', ['HM205']],
    ['fold.js', ", state='Device'", ['HM810']],
    ['nfu:average?window=4', ", state='zone'", []],
    ['nfu:filter?above=1', ", state='device'", ['HM810']],
  ])('%s%s: %j', (code, more, expected) => expect(codes(stream(code, more))).toEqual(expected))
  test('a sensor may keep state for its device, but it has no input to take a field of', () => {
    const sensor = (key: string) => stream('fold.js', '').replace("'sense.js'", `'sense.js', state='${key}'`)
    expect(codes(sensor('device'))).toEqual([])
    expect(messages(sensor('zone'))).toEqual([expect.stringContaining('reads no data')])
  })
  test('of a barrier it is one for the swarm; its list of inputs has no fields', () => {
    const barrier = (key: string) => `${stream('fold.js', `, state='${key}'`)}Synchronize(fold, 'any')\n`
    expect(messages(barrier('zone'))).toEqual([expect.stringContaining('its input is a list')])
  })
  test('of a task that is called once it has no effect', () => {
    expect(messages(loop('', ", state='device'"))).toEqual([expect.stringContaining('is called once')])
  })
  test('ops that look back are the same for the language and for the ops', () => {
    const task = { name: 't', dataIn: [], dataOut: null, parents: [], children: [], args: {}, directives: {} }
    for (const op of OP_NAMES)
      expect(stateKeyOf({ ...task, code: `nfu:${op}` }), op).toBe(OPS[op].stateful ? 'device' : null)
    expect(isOp('toString')).toBe(false)
  })
})

describe('relations', () => {
  const three = (extra: string, kind = 'object') => `TaskGraph(list=['a', 'b', 'c', 'd'])

Data(x, kind='${kind}')
Task(a, None, x, 'a.py', parentTask=None, childTask=['b', 'c'])
Task(b, x, y, 'b.py', parentTask=['a'], childTask=['d'])
Task(c, x, None, 'c.py', parentTask=['a'], childTask=[])
Task(d, y, None, 'd.py', parentTask=['b'], childTask=[])
${extra}
`
  test.each([
    ['Overlap(a, b)', 'object', null],
    ['Overlap(a, b)', 'stream', 'writes a stream'],
    ['Overlap(b, a)', 'object', 'names the parent first'],
    ['Overlap(b, c)', 'object', 'there is no path'],
    ['Overlap(a, d)', 'object', 'no parent of'],
    ["Overlap(a, b)\nSynchronize(b, 'all')", 'object', 'behind a barrier'],
  ])('%s on an %s: %s', (statements, kind, reason) => {
    const found = check(three(statements, kind)).diagnostics
    expect(found.map(({ code, severity }) => [code, severity])).toEqual(reason ? [['HM509', 'hint']] : [])
    if (reason) expect(found[0]?.message).toContain(reason)
    for (const fix of found[0]?.fixes ?? [])
      expect(codes(applyChanges(three(statements, kind), fix.changes))).toEqual([])
  })
  test.each(['Parallel(a, b)', 'Parallel(b, a)', 'Parallel(a, d)'])('%s is refused', (statement) => {
    const text = three(statement)
    const [found] = check(text).diagnostics
    expect(found).toMatchObject({ code: 'HM506', severity: 'error' })
    expect(found?.fixes).toHaveLength(statement.includes('d') ? 1 : 2)
    for (const fix of found?.fixes ?? []) expect(codes(applyChanges(text, fix.changes))).toEqual([])
  })
  test('Parallel over tasks without a path is fine', () => expect(codes(three('Parallel(b, c)'))).toEqual([]))
  test('Serial has a scope', () => {
    const { workflow, diagnostics } = check(three("Serial(b, c, scope='swarm')"))
    expect(diagnostics).toEqual([])
    expect(workflow?.relations).toEqual([{ kind: 'serial', a: 'b', b: 'c', scope: 'swarm' }])
    expect(codes(three("Serial(b, c, scope='device')"))).toEqual(['HM208'])
    expect(codes(three("Parallel(b, c, scope='swarm')"))).toEqual(['HM202'])
    expect(codes(three("Serial(b, c)\nSerial(b, c, scope='swarm')"))).toEqual(['HM503'])
    expect(codes(three('Serial(b, c)\nSerial(b, c)'))).toEqual(['HM505'])
  })
  test('Serial statements that wait for each other are refused, also through the graph', () => {
    const [found, ...others] = check(three('Serial(d, c)\nSerial(c, b)')).diagnostics
    expect(others).toEqual([])
    expect(found).toMatchObject({ code: 'HM510', line: 9 })
    expect(found?.message).toContain('b -> d -> c')
    expect(found?.message).toContain('Serial in line 8')
    expect(codes(three('Serial(b, c)\nSerial(c, d)'))).toEqual([])
    expect(codes(three('Serial(c, a)\nSerial(d, c)'))).toEqual(['HM504'])
  })
  test('many Serial statements are checked in one walk of the graph', () => {
    const count = 3000
    const names = Array.from({ length: count }, (_, index) => `t${index}`)
    const text = [
      `TaskGraph(list=[${names.map((name) => `'${name}'`).join(', ')}])`,
      ...names.map((name) => `Task(${name}, None, None, 'a.py')`),
      ...names.map((name, index) => `Serial(${name}, ${names[(index + 1) % count]})`),
    ].join('\n')
    expect(new Set(codes(text))).toEqual(new Set(['HM310', 'HM510']))
    expect(codes(text).filter((code) => code === 'HM510')).toHaveLength(1)
  })
})

describe('network functions', () => {
  const unit = (code: string) => `TaskGraph(list=['a', 'b'])

Task(a, None, x, 'a.py', parentTask=None, childTask=['b'])
Task(b, x, y, '${code}', parentTask=['a'], childTask=[])
`
  test.each([
    ['nfu:average?window=8&field=t', []],
    ['nfu:counter', []],
    ['nfu:median', ['HM803']],
    ['nfu:', ['HM804']],
    ['nfu:average?', ['HM804']],
    ['nfu:average?8', ['HM804']],
    ['nfu:average?size=8', ['HM808']],
    ['nfu:forward?window=8', ['HM808']],
    ['nfu:min?window=2&window=3', ['HM808']],
    ['nfu:min?window=1.5', ['HM809']],
    ['nfu:filter?above=x&below=y', ['HM809', 'HM809']],
    ['nfu:filter?above=3&below=2', ['HM809']],
  ])('%s: %j', (code, expected) => expect(codes(unit(code))).toEqual(expected))
  test('a parameter that is nearly one is mended', () => {
    const [found] = check(unit('nfu:max?feild=t&window=2')).diagnostics
    expect(applyChanges(unit('nfu:max?feild=t&window=2'), found?.fixes[0]?.changes ?? [])).toBe(
      unit('nfu:max?field=t&window=2'),
    )
  })
})
