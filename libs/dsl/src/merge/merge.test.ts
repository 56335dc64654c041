import { expect, test } from 'vitest'
import { check } from '../analysis.ts'
import { type Merge, merge, type Side } from './merge.ts'

const base = `# A line of tasks.
TaskGraph(list=['sense', 'detect', 'count'], constraint=dict(latency='2s'))
Data(frames, kind='stream', size='1MB')
Task(sense, None, frames, 'sense.js', childTask=['detect'])
Task(detect, frames, found, 'detect.js', parentTask=['sense'], childTask=['count'], limit=3, mode='fast')
Task(count, found, total, 'count.js', parentTask=['detect'])
Persist(count)
`
const change = (...replaced: [string, string][]): string =>
  replaced.reduce((text, [from, to]) => {
    if (!text.includes(from)) throw new Error(`There is no '${from}' in the text.`)
    return text.replace(from, to)
  }, base)
const merged = (mine: string, theirs: string, side: Side = 'theirs'): Merge => {
  const result = merge({ base, mine, theirs }, () => side)
  if (!result) throw new Error('It could not be merged.')
  return result
}
const workflowOf = (text: string) => {
  const { workflow, diagnostics } = check(text, { fileExists: () => true })
  expect(
    diagnostics.filter(({ severity }) => severity === 'error'),
    text,
  ).toEqual([])
  return workflow
}
const taskOf = (text: string, name: string) => workflowOf(text)?.tasks.find((task) => task.name === name)

/** A task between two others. */
const withShrink = change(
  ["['sense', 'detect'", "['sense', 'shrink', 'detect'"],
  [
    "childTask=['detect'])",
    "childTask=['shrink'])\nTask(shrink, frames, small, 'shrink.js', parentTask=['sense'], childTask=['detect'], width=640)",
  ],
  [
    "Task(detect, frames, found, 'detect.js', parentTask=['sense']",
    "Task(detect, small, found, 'detect.js', parentTask=['shrink']",
  ],
  ['Persist(count)', "Persist(count)\nPlace(shrink, 'Edge:all')"],
)

test('changes of different things are both kept, in the text of theirs', () => {
  const theirs = change(
    ["'count.js'", "'count_all.js'"],
    ['Persist(count)', '# kept for the archive\nPersist(count)'],
  )
  const { text, conflicts, left } = merged(withShrink, theirs)
  expect([conflicts, left]).toEqual([[], []])
  expect(taskOf(text, 'count')?.code).toBe('count_all.js')
  expect(taskOf(text, 'shrink')).toMatchObject({
    code: 'shrink.js',
    parents: ['sense'],
    children: ['detect'],
    args: { width: 640 },
    directives: { place: { tier: 'edge', target: 'all' } },
  })
  expect(taskOf(text, 'detect')).toMatchObject({
    dataIn: ['small'],
    parents: ['shrink'],
    args: { limit: 3, mode: 'fast' },
  })
  expect(taskOf(text, 'sense')?.children).toEqual(['shrink'])
  expect(text).toContain('# A line of tasks.')
  expect(text).toContain('# kept for the archive')
})

test('different fields of one task are no conflict; the same field is', () => {
  const mine = change(['limit=3', 'limit=5'], ["mode='fast'", "mode='exact'"])
  const theirs = change(['limit=3', 'limit=9'], ["'detect.js'", "'detect2.js'"])
  const what = [{ subject: { kind: 'task', name: 'detect' }, what: ['argument limit'] }]
  for (const side of ['theirs', 'mine'] as const) {
    const { text, conflicts } = merged(mine, theirs, side)
    expect(conflicts).toEqual(what)
    expect(taskOf(text, 'detect')).toMatchObject({
      code: 'detect2.js',
      args: { limit: side === 'mine' ? 5 : 9, mode: 'exact' },
    })
  }
})

test('a task that one has removed and the other has changed', () => {
  const removed = change(
    [", 'count']", ']'],
    [", childTask=['count']", ''],
    ["Task(count, found, total, 'count.js', parentTask=['detect'])\nPersist(count)\n", ''],
  )
  const changed = change(["'count.js'", "'count_all.js'"])
  const conflict = { subject: { kind: 'task', name: 'count' }, what: ['code'] }
  for (const [mine, theirs, removedBy, keeper] of [
    [removed, changed, 'mine', 'theirs'],
    [changed, removed, 'theirs', 'mine'],
  ] as const) {
    const kept = merged(mine, theirs, keeper)
    expect(kept.conflicts).toEqual([{ ...conflict, removedBy }])
    expect(taskOf(kept.text, 'count')).toMatchObject({
      code: 'count_all.js',
      parents: ['detect'],
      directives: { persist: true },
    })
    expect(taskOf(kept.text, 'detect')?.children).toEqual(['count'])
    const gone = merged(mine, theirs, removedBy)
    expect(taskOf(gone.text, 'count')).toBeUndefined()
    expect(taskOf(gone.text, 'detect')?.children).toEqual([])
  }
  // nothing to ask when the other has not touched it
  expect(merged(removed, withShrink)).toMatchObject({ conflicts: [], left: [] })
  expect(taskOf(merged(removed, withShrink).text, 'count')).toBeUndefined()
  expect(taskOf(merged(withShrink, removed).text, 'count')).toBeUndefined()
})

test('data, relations and limits', () => {
  const mine = change(
    ["size='1MB'", "size='2MB', rate='8/s'"],
    ["latency='2s'", "latency='1s', energy='5J'"],
    ['Persist(count)', 'Serial(sense, detect)'],
  )
  const theirs = change(["latency='2s'", "latency='3s'"])
  const { text, conflicts } = merged(mine, theirs)
  expect(conflicts).toEqual([{ subject: { kind: 'constraint', name: 'latency' }, what: ['the limit'] }])
  const workflow = workflowOf(text)
  expect(workflow?.data.find(({ name }) => name === 'frames')).toMatchObject({
    size: { text: '2MB' },
    rate: { text: '8/s' },
  })
  expect(workflow?.constraints.map(({ key, limit }) => [key, limit.text])).toEqual([
    ['latency', '3s'],
    ['energy', '5J'],
  ])
  expect(workflow?.relations).toEqual([{ kind: 'serial', a: 'sense', b: 'detect' }])
  expect(taskOf(text, 'count')?.directives).toEqual({})
})

test('what only one side has changed needs no decision; what both have changed alike neither', () => {
  expect(merged(base, withShrink)).toEqual({ text: withShrink, conflicts: [], left: [] })
  expect(merged(withShrink, withShrink)).toEqual({ text: withShrink, conflicts: [], left: [] })
  const rebuilt = merged(withShrink, base)
  expect([rebuilt.conflicts, rebuilt.left]).toEqual([[], []])
  expect(new Set(workflowOf(rebuilt.text)?.tasks.map((task) => JSON.stringify(task)))).toEqual(
    new Set(workflowOf(withShrink)?.tasks.map((task) => JSON.stringify(task))),
  )
})

test('a text with syntax errors is not merged', () => {
  expect(merge({ base, mine: 'TaskGraph(', theirs: base })).toBeNull()
})
