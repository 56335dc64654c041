import { check } from '@hivemind/dsl'
import { REPLAY_PATH } from '@hivemind/interchange'
import { expect, test } from 'vitest'
import { traceProject } from './traceProject.ts'

const instance = JSON.stringify({
  name: 'tea',
  schemaVersion: '1.5',
  workflow: {
    specification: {
      tasks: [
        { name: 'boil', id: 'boil', parents: [], children: ['pour'], outputFiles: ['water'] },
        { name: 'pour', id: 'pour', parents: ['boil'], children: [], inputFiles: ['water'] },
      ],
      files: [{ id: 'water', sizeInBytes: 250 }],
    },
    execution: {
      makespanInSeconds: 3,
      executedAt: '2020-01-01T00:00:00Z',
      tasks: [
        { id: 'boil', runtimeInSeconds: 2 },
        { id: 'pour', runtimeInSeconds: 1 },
      ],
    },
  },
})

test('a trace becomes a workflow without errors, its code, and the profile it carries', () => {
  const { name, text, profile, files, tasks, edges } = traceProject(instance, 'whatever.json')
  expect([name, tasks, edges]).toEqual(['tea', 2, 1])
  const { workflow } = check(text, { fileExists: (file) => file === REPLAY_PATH })
  expect(workflow?.tasks.map((task) => task.name)).toEqual(['boil', 'pour'])
  expect(files.map(({ path }) => path)).toEqual([REPLAY_PATH, 'README.md'])
  expect(profile.tasks.boil?.cloud?.serviceMs.mean).toBeGreaterThan(0)
  expect(profile.tasks.boil?.cloud?.outputBytes.mean).toBe(250)
})

test('a faulty file is refused with a sentence that names the place', () => {
  const wrong = instance.replace('"parents":["boil"]', '"parents":["kettle"]')
  expect(() => traceProject(wrong, 'tea.json')).toThrow(
    /tasks\[1\]\.parents\[0\]: 'kettle' is no task of this file/,
  )
  expect(() => traceProject('TaskGraph()', 'x.txt')).toThrow(/neither a WfCommons instance/)
})
