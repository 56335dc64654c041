import { readdirSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { mutate, seeded } from '../test/mutants.ts'
import { corpus } from '../test/properties.ts'
import { pythonSays } from '../test/python.ts'
import { workflows } from '../test/random.ts'
import { scruffy } from '../test/scruffy.ts'
import { check, format, print } from './index.ts'
import { readSource } from './syntax/read.ts'

const runs = process.env.HIVEMIND_SOAK === '1' ? 5000 : 300

/** The comments of a text, in order. */
function commentsOf(text: string): string[] {
  const { tokens } = readSource(text, new Set())
  const ends = [0, ...tokens.map(({ to }) => to)]
  return ends.flatMap((from, index) =>
    [...text.slice(from, tokens[index]?.from ?? text.length).matchAll(/#[^\r\n]*/g)].map(
      ([comment]) => comment,
    ),
  )
}

/** What a text says and what is wrong with it, without where; the paper's dictionary is only a matter of spelling. */
function meaningOf(text: string) {
  const { workflow, diagnostics } = check(text)
  const codes = diagnostics.map(({ code }) => code)
  return {
    workflow,
    faults: codes.filter((code) => code !== 'HM116').sort(),
    isPython: !codes.includes('HM116'),
  }
}

function promises(text: string, formatted: string) {
  const before = meaningOf(text)
  expect(meaningOf(formatted)).toEqual({ ...before, isPython: expect.any(Boolean) })
  expect(commentsOf(formatted)).toEqual(commentsOf(text))
  expect(format(formatted)).toBe(formatted)
  expect(formatted).toMatch(/^$|[\r\n]$/)
}

describe('format', { timeout: 300_000 }, () => {
  it('lays a statement out anew and leaves one with comments inside as it is', () => {
    const text = `

# A patrol.


TaskGraph ( edgeList = (look,"find") ,
  constraint={"execTime":"10s"})   # in time
Task("look", None, "frames", 'look.py', threshold = - 0.50, pattern=r'\\d', childTask='find')



Task(find,   frames, None,   # what it reads
     "find.py", parentTask = ['look'])
Place(task='look', where="Edge:all"); Persist( "look" )
"""The end."""


`
    expect(format(text)).toBe(`# A patrol.

TaskGraph(edgeList=['look', 'find'], constraint={'execTime': '10s'})   # in time
Task(look, None, frames, 'look.py', threshold=-0.50, pattern=r'\\d', childTask='find')

Task(find,   frames, None,   # what it reads
     "find.py", parentTask = ['look'])
Place(task=look, where='Edge:all'); Persist(look)
"""The end."""
`)
  })

  it('puts the arguments of a long statement on lines of their own', () => {
    const text = `Task(look, None, frames, 'tasks/look.py', parentTask=None, childTask=['find', 'count'], note="it's a long one")\r\n`
    expect(format(text)).toBe(
      [
        'Task(',
        '    look,',
        '    None,',
        '    frames,',
        "    'tasks/look.py',",
        '    parentTask=None,',
        "    childTask=['find', 'count'],",
        '    note="it\'s a long one",',
        ')',
        '',
      ].join('\r\n'),
    )
  })

  it('writes the dictionary of the paper so that Python reads it', () => {
    expect(format("TaskGraph(list=['a'], constraint=[execTime='10s'])")).toBe(
      "TaskGraph(list=['a'], constraint=dict(execTime='10s'))\n",
    )
  })

  it('keeps texts on several lines, texts side by side, names in brackets and a byte order mark', () => {
    const text =
      "\ufeff\n\nTask(a, None, None, 'a.py', note='''one\n\n\n\ntwo''', size=(5), more=('x' \"y\"))"
    expect(format(text)).toBe(
      "\ufeffTask(\n    a,\n    None,\n    None,\n    'a.py',\n    note='''one\n\n\n\ntwo''',\n    size=5,\n    more='x' 'y',\n)\n",
    )
  })

  it('gives nothing for a text with errors of syntax, and formats one with errors of meaning', () => {
    expect(format("Task(a, None, None, 'a.py'")).toBeNull()
    expect(format("Task(a, code='a.py', None, None)")).toBeNull()
    expect(format('import os\n')).toBeNull()
    expect(format("Task( a, None, None, 'a.py', childTask = ['nobody'] )")).toBe(
      "Task(a, None, None, 'a.py', childTask=['nobody'])\n",
    )
  })

  it.each(['', '\n\n', '# only a comment', '#\r#\r\r\r\r#', '\\\n\n\n\n'])('takes %j', (text) => {
    const formatted = format(text)
    if (formatted === null) expect(meaningOf(text).faults).not.toEqual([])
    else promises(text, formatted)
  })

  it('keeps what print gives', () => {
    fc.assert(
      fc.property(workflows(), (workflow) => {
        const text = print(workflow)
        expect(format(text)).toBe(text)
      }),
      { numRuns: runs },
    )
  })

  it('keeps the meaning and every comment, and is done after once', () => {
    const formattedTexts: string[] = []
    fc.assert(
      fc.property(workflows(4), fc.nat(), (workflow, seed) => {
        const text = scruffy(workflow, seeded(seed))
        const formatted = format(text)
        if (formatted === null) throw new Error(`Refused: ${text}`)
        promises(text, formatted)
        if (meaningOf(formatted).isPython) formattedTexts.push(formatted)
      }),
      { numRuns: runs },
    )
    expect(pythonSays(formattedTexts).filter((complaint) => complaint !== null)).toEqual([])
  })

  it('does so for mutants of real texts, or refuses them', () => {
    const random = seeded(5)
    const texts = corpus()
    let done = 0
    for (let run = 0; run < runs * 10; run++) {
      const text = mutate(texts[random(texts.length)] as string, random)
      const formatted = format(text)
      if (formatted === null) continue
      done++
      const before = meaningOf(text)
      const after = meaningOf(formatted)
      // Of the paper's dictionaries and what is only a matter of spelling nothing is left to say.
      expect(after.workflow, text).toEqual(before.workflow)
      expect(
        after.faults.filter((code) => !before.faults.includes(code)),
        text,
      ).toEqual([])
      expect(commentsOf(formatted), text).toEqual(commentsOf(text))
      expect(format(formatted), text).toBe(formatted)
    }
    expect(done).toBeGreaterThan(runs / 2)
  })

  it('leaves the examples valid', () => {
    const examples = new URL('../../../examples/', import.meta.url)
    const files = readdirSync(examples, { recursive: true, encoding: 'utf8' }).filter((file) =>
      file.endsWith('.hive.py'),
    )
    expect(files.length).toBeGreaterThan(0)
    for (const file of files) {
      const text = readFileSync(new URL(file, examples), 'utf8')
      const formatted = format(text)
      expect(formatted, file).not.toBeNull()
      if (formatted !== null) promises(text, formatted)
    }
  })
})
