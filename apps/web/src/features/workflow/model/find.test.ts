import { check } from '@hivemind/dsl'
import { expect, test } from 'vitest'
import { findIn, type Searched } from './find.ts'

const text = `# Frames are detected.
TaskGraph(list=['detect', 'count'])
Task(detect, frames, found, 'detect.js', childTask=['count'], mode='Fast')
Task(count, found, total, 'count.js', parentTask=['detect'])
`
const searched: Searched = {
  workflow: check(text).workflow,
  text,
  notes: { count: 'Counts what was detected', gone: 'detect' },
  files: [
    { task: 'detect', path: 'detect.js', text: '// finds\nexport default (frame) => find(frame)\n' },
    { task: 'count', path: 'count.js', text: `let total = 0${' + 0'.repeat(60)} // frame\n` },
  ],
}

test('tasks, notes, data, lines of the text and lines of code are found, in this order', () => {
  expect(findIn(searched, 'DETECT').map(({ kind, line }) => `${kind}: ${line}`)).toEqual([
    'task: detect',
    'note: Counts what was detected',
    'text: # Frames are detected.',
    "text: TaskGraph(list=['detect', 'count'])",
    "text: Task(detect, frames, found, 'detect.js', childTask=['count'], mode='Fast')",
    "text: Task(count, found, total, 'count.js', parentTask=['detect'])",
  ])
  expect(findIn(searched, 'frame').filter(({ kind }) => kind === 'data' || kind === 'code')).toMatchObject([
    { kind: 'data', data: 'frames' },
    { kind: 'code', task: 'detect', path: 'detect.js', at: 2 },
    { kind: 'code', task: 'count', path: 'count.js', at: 1 },
  ])
})

test('a hit in the text names its range; long lines are cut around what was found', () => {
  const [hit] = findIn(searched, 'fast')
  expect(hit?.kind === 'text' && text.slice(hit.from, hit.to)).toBe('Fast')
  expect(hit).toMatchObject({ at: 3 })
  const [cut] = findIn(searched, '// frame')
  expect(cut?.line).toMatch(/^….{1,120}$/)
  expect(cut?.line).toContain('// frame')
})

test('nothing for nothing, and no more than asked for', () => {
  expect(findIn(searched, '  ')).toEqual([])
  expect(findIn(searched, 'nowhere')).toEqual([])
  expect(findIn(searched, 'e', 1).filter(({ kind }) => kind === 'text')).toHaveLength(1)
})
