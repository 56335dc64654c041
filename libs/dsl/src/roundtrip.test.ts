import fc from 'fast-check'
import { expect, test } from 'vitest'
import { workflows } from '../test/random.ts'
import { check, print } from './index.ts'

test('what is printed is read as the same workflow', () => {
  fc.assert(
    fc.property(workflows(), (workflow) => {
      expect(check(print(workflow)).workflow).toEqual(workflow)
    }),
    { numRuns: 300 },
  )
})
