import { expect, test } from 'vitest'
import { readinessOf } from './readiness.ts'

const ready = { kind: 'function', name: 'summary', state: 'ready' } as const
const failed = (name: string, message?: string) =>
  ({ kind: 'function', name, state: 'failed', ...(message && { message }) }) as const

test.each([
  [[], 'Ready to run.'],
  [[ready, { ...ready, state: 'starting' } as const], 'Ready to run.'],
  [
    [ready, failed('judge@gate', "Edge node 'gate' is away.")],
    "'judge@gate' does not serve: Edge node 'gate' is away. Runs may wait for it, and fail.",
  ],
  [[failed('a'), failed('b', 'Why.')], "'a', 'b' do not serve. Runs may wait for them, and fail."],
  [['a', 'b', 'c', 'd', 'e'].map((name) => failed(name)), /^'a', 'b', 'c' and 2 more do not serve\./],
])('%#: a deployment says whether it is ready to run', (resources, sentence) => {
  expect(readinessOf(resources)).toEqual(
    typeof sentence === 'string' ? sentence : expect.stringMatching(sentence),
  )
})
