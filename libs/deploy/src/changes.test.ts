import { synthesise } from '@hivemind/synthesis'
import type { Workflow } from '@hivemind/workflow'
import { expect, test } from 'vitest'
import { changesOf } from './changes.ts'
import type { DeploymentSpec } from './types.ts'

const workflow: Workflow = {
  schema: 'hivemind.workflow/1',
  tasks: ['sense', 'judge'].map((name, at) => ({
    name,
    dataIn: at > 0 ? ['senseOut'] : [],
    dataOut: `${name}Out`,
    code: `tasks/${name}.mjs`,
    parents: at > 0 ? ['sense'] : [],
    children: at > 0 ? [] : ['judge'],
    args: {},
    directives: {},
  })),
  data: [
    { name: 'senseOut', declared: false },
    { name: 'judgeOut', declared: false },
  ],
  relations: [],
  constraints: [],
}

function spec(judge: Record<string, string | number>, code = 'first', name = 'w'): DeploymentSpec {
  const files = [
    { path: 'tasks/sense.mjs', hash: 'sense', bytes: 1 },
    { path: 'tasks/judge.mjs', hash: code, bytes: 1 },
  ]
  const tasks = workflow.tasks.map((task) => (task.name === 'judge' ? { ...task, args: judge } : task))
  return {
    name: 'd',
    projectDir: '/nowhere',
    devices: [{ name: 'device-1', class: '*' }],
    synthesis: synthesise({
      name,
      workflow: { ...workflow, tasks },
      placement: { sense: 'edge', judge: 'cloud' },
      files,
    }),
  }
}

const whyOf = (before: DeploymentSpec | null, after: DeploymentSpec) =>
  changesOf(before, after).find(({ name }) => name === 'judge')

test('a function that is replaced says what of it differs', () => {
  const before = spec({})
  expect(whyOf(null, before)).toMatchObject({ action: 'create', why: 'It did not run before.' })
  expect(whyOf(before, spec({}))).toMatchObject({ action: 'keep' })
  expect(whyOf(before, spec({}, 'second'))).toMatchObject({
    action: 'change',
    why: 'Changed: tasks/judge.mjs.',
  })
  expect(whyOf(before, spec({ limit: 4 }))).toMatchObject({ action: 'change', why: 'Changed: arguments.' })
  const bigger = whyOf(spec({ memory: '128MB' }), spec({ memory: '256MB' }))
  expect(bigger?.why).toMatch(/memory from 128 to 256 MB/)
  expect(whyOf(before, spec({}, undefined, 'other'))).toMatchObject({
    why: 'The name of the workflow changed.',
  })
})
