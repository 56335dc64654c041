import { describe, expect, test } from 'vitest'
import { check, fixAll } from '../index.ts'

/** `marked text -> code` of every fault of syntax. */
const faults = (text: string) =>
  check(text)
    .diagnostics.filter(({ code }) => code < 'HM2')
    .map(({ code, from, to }) => `${code} ${text.slice(from, to)}`)

const LIST = "TaskGraph(list=['a', 'b'])\n"
const A = "Task(a, None, x, 'a.py', parentTask=None, childTask=['b'])\n"
const B = "Task(b, x, None, 'b.py', parentTask=['a'], childTask=[])\n"

describe('one fault is one report, and its certain fix gives the text that was meant', () => {
  test.each([
    ['a parenthesis missing at the end', A.replace(')\n', '\n'), ['HM101 ('], A],
    ['two brackets missing at the end', A.replace('])\n', '\n'), ['HM101 ['], A],
    ['a bracket missing before the next argument', B.replace("['a']", "['a'"), ['HM101 ['], B],
    ['a bracket missing before the end', A.replace("['b'])", "['b')"), ['HM101 ['], A],
    ['two parentheses at the end, one a bracket', A.replace("['b'])", "['b'))"), ['HM103 )'], A],
    ['a parenthesis too many at the end', A.replace(')\n', '))\n'), ['HM102 )'], A],
    ['a bracket too many', B.replace("['a']", "['a']]"), ['HM102 ]'], B],
    ['a parenthesis too many in the middle', B.replace("['a'],", "['a']),"), ['HM102 )'], B],
    ['a parenthesis and a comma too many', B.replace("['a'],", "['a'],),"), ['HM102 )'], B],
    [
      'the same before a line break',
      B.replace("['a'], ", "['a']),\n"),
      ['HM102 )'],
      B.replace("['a'], ", "['a'],\n"),
    ],
    ['a parenthesis for a comma', B.replace("['a'],", "['a'])"), ['HM102 )'], B],
    ['a comma missing', A.replace('x,', 'x'), ['HM104  '], A],
    ['a comma at the end of the statement', A.replace(')\n', '),\n'), ['HM105 ,'], A],
    ['a comma at the beginning', A.replace('(a', '(,a'), ['HM105 ,'], A],
    ['no line break', A.replace('\n', ' ') + B, ['HM112 Task'], A + B],
    ['an indentation', `\t${A}`, ['HM111 \t'], A],
    ['a colon for an equals sign', A.replace('parentTask=', 'parentTask:'), ['HM124 :'], A],
    [
      'a path without quotes',
      A.replace("'a.py'", 'tasks/a.py'),
      ['HM110 tasks/a.py'],
      A.replace('a.py', 'tasks/a.py'),
    ],
    [
      'a quantity without quotes',
      A.replace(', parent', ', timeout=2.5s, parent'),
      ['HM114 2.5s'],
      A.replace(', parent', ", timeout='2.5s', parent"),
    ],
    ['typographic quotes', A.replace("'a.py'", '\u201ca.py\u201d'), ['HM107 \u201ca.py\u201d'], A],
    ['a word of JSON', A.replace('=None', '=null'), ['HM119 null'], A],
  ])('%s', (_name, text, expected, meant) => {
    expect(faults(text)).toEqual(expected)
    expect(fixAll(text).text.replaceAll(/ {2}/g, ' ')).toContain(meant.trim())
  })
})

describe('the rest of the text is read when a part cannot be', () => {
  test.each([
    ['an unclosed text', A.replace("'b'", "'b"), ["HM106 'b"]],
    ['an unclosed text that swallows a quote', A.replace("'a.py'", "'a.py"), ["HM106 'a.py"]],
    ['an import', 'import os\n', ['HM109 import os']],
    ['a function', 'def f(a):\n    return Task(a)\n', ['HM109 def f(a):']],
    ['a loop', 'for i in range(3):\n    Isolate(i)\n', ['HM109 for i in range(3):']],
    ['an assignment with an open bracket', 'x = [1,\n', ['HM109 x = [1,']],
    ['a call in a value', "Task(a, None, x, path('a.py'))\n", ["HM110 path('a.py')"]],
    ['an unpacked dictionary', "Task(a, None, x, 'a.py', **extra)\n", ['HM110 **']],
    ['text behind a statement', 'Isolate(a) because it is large\n', ['HM109 because it is large']],
  ])('%s', (_name, text, expected) => {
    expect(faults(LIST + text + B)).toEqual(expected)
    expect(faults(LIST + B + text)).toEqual(expected)
  })
})

test.each(['\n', '\r\n', '\r'])('lines may end with %j', (eol) => {
  const text = (LIST + A + B).replaceAll('\n', eol)
  expect(check(text).diagnostics).toEqual([])
  const fault = check(`${text}Isolate(zebra)${eol}`).diagnostics[0]
  expect([fault?.line, fault?.column]).toEqual([4, 9])
})

test('comments, docstrings, semicolons, continued lines and a byte order mark are Python and are read', () => {
  const text = `\ufeff"""What it does."""\n# note (\n${LIST.trim()}; ${A}Task(b, x, \\\n  None, 'b.py', # why, not\n  parentTask=['a'],\n)\n`
  expect(check(text).diagnostics).toEqual([])
})

test('values are what Python makes of them', () => {
  const text = `${LIST}${A}${B.replace(
    ', parent',
    String.raw`, s='a\n\x41\u00e9\'', r=r'\n', t='''x
y''', n=[-1, 0x10, 1_000, .5, 1e3], d={'k-1': (1, 2), 'e': ()}, f=dict(a=None, b=True), bare=other, task=a, parent`,
  )}`
  const result = check(text)
  expect(result.diagnostics).toEqual([])
  expect(result.workflow?.tasks[1]?.args).toEqual({
    s: "a\nA\u00e9'",
    r: '\\n',
    t: 'x\ny',
    n: [-1, 16, 1000, 0.5, 1000],
    d: { 'k-1': [1, 2], e: [] },
    f: { a: null, b: true },
    bare: { name: 'other' },
    task: 'a',
  })
})

test('names may be bare or texts, lists may be tuples or single names', () => {
  const text =
    "TaskGraph(edgeList=(a, 'b'), constraints={'execTime': '10s'})\nTask('a', None, 'x', 'a.py', childTask=b)\nTask(b, [x], None, 'b.py', parentTask='a')\n"
  const { workflow, diagnostics } = check(text)
  expect(diagnostics).toEqual([])
  expect(workflow?.tasks.map(({ parents, children }) => [parents, children])).toEqual([
    [[], ['b']],
    [['a'], []],
  ])
  expect(workflow?.constraints[0]?.limit.value).toBe(10_000)
})

test('one side of an edge is enough', () => {
  const one = check(`${LIST}Task(a, None, x, 'a.py', childTask=['b'])\nTask(b, x, None, 'b.py')\n`)
  const other = check(`${LIST}Task(a, None, x, 'a.py')\nTask(b, x, None, 'b.py', parentTask=['a'])\n`)
  expect(one.diagnostics).toEqual([])
  expect(other.diagnostics).toEqual([])
  expect(one.workflow).toEqual(other.workflow)
})

test('a text that is not all read has no workflow; an empty one has an empty one', () => {
  expect(check(`${LIST}${A.replace("'b'", "'b")}`).workflow).toBeNull()
  expect(check('').workflow).toEqual({
    schema: 'hivemind.workflow/1',
    tasks: [],
    data: [],
    relations: [],
    constraints: [],
  })
  expect(check('').diagnostics.map(({ code }) => code)).toEqual(['HM301'])
})
