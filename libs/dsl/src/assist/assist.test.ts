import { describe, expect, test } from 'vitest'
import { completionsAt, hoverAt, taskRanges } from '../index.ts'

const TEXT =
  "TaskGraph(list=['a', 'b'])\nTask(a, None, x, 'a.py', childTask=['b'])\nTask(b, x, None, 'b.py', parentTask=['a'])\n"

/** The labels offered where `|` stands. */
const at = (marked: string) => {
  const pos = marked.indexOf('|')
  const { from, options } = completionsAt(marked.replace('|', ''), pos)
  return {
    typed: marked.slice(from, pos),
    labels: options.map(({ label }) => label),
    inserts: options.map(({ insert }) => insert),
  }
}

describe('completion', () => {
  test('names where Edge: may put a task: classes, edge nodes and devices, as far as they are known', () => {
    const marked = `${TEXT}Place(b, 'Edge:ga`
    const labels = (places: Parameters<typeof completionsAt>[2]) =>
      completionsAt(marked, marked.length, places).options.map(({ label }) => label)
    const places = { deviceClasses: ['drone'], edgeNodes: ['gateway'], devices: ['drone-1'] }
    expect(labels(places)).toEqual(['Edge:gateway'])
    const all = `${TEXT}Place(b, 'Edge:`
    expect(completionsAt(all, all.length, places).options.map(({ insert }) => insert)).toEqual([
      'Edge:all',
      'Edge:drone',
      'Edge:gateway',
      'Edge:drone-1',
    ])
  })

  test.each([
    ['statements at the start of a line', `${TEXT}Pl|`, 'Pl', ['Place']],
    ['tasks as the first argument', `${TEXT}Isolate(|)`, '', ['a', 'b', 'task=']],
    ['values as the second', `${TEXT}Learn(a, |)`, '', ['Global', 'Device', 'Off', 'scope=']],
    [
      'values in a statement not yet closed',
      `${TEXT}Place(a, |`,
      '',
      ['Cloud', 'Edge:all', 'Fabric', 'Edge:', 'where='],
    ],
    ['values in quotes', `${TEXT}Place(a, 'Ed|')`, 'Ed', ['Edge:all', 'Edge:']],
    ['values in quotes not yet closed', `${TEXT}Restore(a, 're|`, 're', ['respawn', 'repartition']],
    ['other tasks in a list of tasks', `${TEXT}Task(c, x, None, 'c.py', parentTask=['a', '|'])`, '', ['b']],
    ['listed tasks that are defined', TEXT.replace("'b']", "'|']"), '', ['b']],
    ['data', `${TEXT}Task(c, |, None, 'c.py')`, '', ['x', 'None']],
    ['network functions', `${TEXT}Task(c, x, None, 'nfu:m|')`, 'nfu:m', ['nfu:min', 'nfu:max']],
    ['keyword arguments', `${TEXT}Task(c, x, None, 'c.py', pa|)`, 'pa', ['parentTask=']],
    ['constraints', `TaskGraph(list=[], constraint=dict(la|))`, 'la', ['latency=']],
    [
      'units of time',
      `TaskGraph(list=[], constraint=dict(latency='20|'))`,
      '20',
      ['20us', '20ms', '20s', '20min', '20h'],
    ],
    ['units of a rate', `${TEXT}Data(x, rate='8|')`, '8', ['8/s', '8/min', '8/h', '8Hz']],
    ['arguments of Schedule', `${TEXT}Schedule(a, |)`, '', ['priority=', 'deadline=', 'onMiss=']],
    ['what happens to late work', `${TEXT}Schedule(a, deadline='1s', onMiss='|')`, '', ['drop']],
    ['the scope of Serial', `${TEXT}Serial(a, b, sc|)`, 'sc', ['scope=']],
    ['its value', `${TEXT}Serial(a, b, scope=|)`, '', ['swarm']],
    ['the state of a task', `${TEXT}Task(c, x, None, 'c.py', state='|')`, '', ['device']],
    ['the role of a task', `${TEXT}Task(c, x, None, 'c.py', role='s|')`, 's', ['sensor']],
    ['units of a time limit', `${TEXT}Task(c, x, None, 'c.py', timeout='2m|')`, '2m', ['2ms', '2min']],
    ['units of power', `TaskGraph(list=[], constraint=dict(power='5|'))`, '5', ['5mW', '5W', '5kW']],
    [
      'parameters of a network function',
      `${TEXT}Task(c, x, None, 'nfu:average?|')`,
      'nfu:average?',
      ['nfu:average?window=', 'nfu:average?field='],
    ],
    [
      'those that are not given yet',
      `${TEXT}Task(c, x, None, 'nfu:average?window=8&|')`,
      'nfu:average?window=8&',
      ['nfu:average?window=8&field='],
    ],
    ['nothing in a comment', `${TEXT}# Pl|`, '', []],
    ['nothing in a path', `${TEXT}Data(x, type='i|')`, 'i', []],
  ])('%s', (_name, marked, typed, labels) => {
    const found = at(marked)
    expect(found.typed).toBe(typed)
    expect(found.labels.slice(0, labels.length)).toEqual(labels)
    if (labels.length === 0) expect(found.labels).toEqual([])
  })

  test('what is inserted fits: quotes outside quotes, none inside', () => {
    expect(at(`${TEXT}Learn(a, Gl|)`).inserts).toEqual(["'Global'"])
    expect(at(`${TEXT}Learn(a, 'Gl|')`).inserts).toEqual(['Global'])
    expect(at(`${TEXT}Task(c, x, None, 'c.py', parentTask=|)`).inserts.slice(0, 3)).toEqual([
      "['a']",
      "['b']",
      'None',
    ])
  })
})

describe('help', () => {
  const help = (part: string, text = TEXT) => hoverAt(text, text.indexOf(part) + 1)?.text
  test('of statements, names, arguments and quantities', () => {
    expect(help('Task(a')).toMatch(/^Task\(name, dataIn, dataOut, code, parentTask=\.\./)
    expect(help("'b'])\nTask")).toBe("Task 'b': reads x, writes nothing.\nCode: b.py")
    expect(help(' x, ')).toBe("Data 'x': written by a, read by b.")
    expect(help('a.py')).toMatch(/^code: The path/)
    expect(help('childTask')).toMatch(/^childTask: The tasks that run after/)
    expect(help('speed', TEXT.replace(', childTask', ', speed=4, childTask'))).toBe(
      'speed: Handed to the code of the task as it is.',
    )
    expect(help('2min', "TaskGraph(list=[], constraint=dict(execTime='2min'))")).toMatch(/= 120000 ms$/)
    expect(help('state', TEXT.replace(', childTask', ", state='device', childTask"))).toMatch(
      /^state: It keeps state/,
    )
    expect(help('timeout', TEXT.replace(', childTask', ", timeout='9s', childTask"))).toMatch(
      /From 1ms to 24h\.$/,
    )
    expect(help('onMiss', `${TEXT}Schedule(a, deadline='1s', onMiss='drop')`)).toMatch(
      /^onMiss: 'drop': work/,
    )
    expect(help('scope', `${TEXT}Serial(a, b, scope='swarm')`)).toMatch(/^scope: 'swarm': the two never/)
    expect(help('5W', "TaskGraph(list=[], constraint=dict(power='5W'))")).toMatch(/= 5 W$/)
    expect(help('\nTask')).toBeDefined()
    expect(hoverAt('# nothing here', 3)).toBeNull()
  })
})

test('where tasks are', () => {
  const ranges = taskRanges(TEXT)
  expect(Object.keys(ranges)).toEqual(['a', 'b'])
  expect(TEXT.slice(ranges.b?.from, ranges.b?.to)).toBe("Task(b, x, None, 'b.py', parentTask=['a'])")
})
