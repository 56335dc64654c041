import { expect, test } from 'vitest'
import { ImportError } from './error.ts'
import { formatOf, readTrace } from './read.ts'

const graph = '2\n0 5 0\n1 7 1 0\n2 3 1 1\n3 0 1 2\n'

test('a text is read as what it looks like', () => {
  expect([' \n{"a": 1}', '\uFEFF{', '# a comment\n2', ' 7', 'TaskGraph(list=[])', ''].map(formatOf)).toEqual([
    'wfcommons',
    'wfcommons',
    'stg',
    'stg',
    undefined,
    undefined,
  ])
  const { name, workflow } = readTrace(graph, 'rand0001.stg')
  expect(name).toBe('rand0001')
  expect(workflow.tasks.length).toBeGreaterThan(0)
  expect(() => readTrace('{}', 'x.json')).toThrow(ImportError)
})

test('what is neither is refused in a sentence; a format that is given counts', () => {
  expect(() => readTrace('hello', 'x.txt')).toThrow(
    /neither a WfCommons instance .* nor a Standard Task Graph/,
  )
  expect(() => readTrace(graph, 'x.stg', 'wfcommons')).toThrow(ImportError)
})
