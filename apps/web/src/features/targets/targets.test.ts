import { expect, test } from 'vitest'
import { targetNameProblem, verdictOf } from './targets.ts'

test.each([
  ['', true],
  ['staging', true],
  ['eu-1', true],
  ['Staging', false],
  ['-x', false],
  ['a b', false],
  ['x'.repeat(41), false],
])('the name %j is good: %s', (name, good) => {
  expect(targetNameProblem(name) === undefined).toBe(good)
})

test('a check in one sentence: warnings do not stop a deployment', () => {
  const check = { server: '', context: '', contexts: [], namespace: '' }
  const finding = (level: 'ok' | 'warning' | 'error') => ({ level, message: '' })
  expect(verdictOf({ ...check, findings: [finding('ok'), finding('warning')] }).good).toBe(true)
  expect(verdictOf({ ...check, findings: [finding('ok'), finding('error')] }).text).toMatch(/one thing is/)
  expect(verdictOf({ ...check, findings: [finding('error'), finding('error')] }).text).toMatch(/2 things are/)
})
