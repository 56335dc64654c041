import { describe, expect, test } from 'vitest'
import type { DeploymentChange } from '../../api/types.ts'
import { replaces, summariseChanges } from './plannedChanges.ts'

const change = (
  kind: DeploymentChange['kind'],
  action: DeploymentChange['action'],
  name: string,
): DeploymentChange => ({ kind, name, action, why: 'A reason.' })

describe('planned changes', () => {
  test('are one sentence, changes before what stays', () => {
    expect(
      summariseChanges([
        change('function', 'keep', 'a'),
        change('function', 'keep', 'b'),
        change('function', 'change', 'c'),
        change('agent', 'change', 'device-1'),
        change('agent', 'change', 'device-2'),
      ]),
    ).toBe('1 function is replaced, 2 stay; 2 agents load their tasks without a restart.')
    expect(
      summariseChanges([
        change('function', 'remove', 'a'),
        change('agent', 'keep', 'device-1'),
        change('agent', 'create', 'device-2'),
      ]),
    ).toBe('1 function ends; 1 agent starts, 1 stays.')
  })
  test('say so when nothing changes', () => {
    expect(summariseChanges([change('agent', 'keep', 'device-1')])).toBe('Nothing changes: 1 agent stays.')
    expect(
      summariseChanges([
        change('function', 'keep', 'a'),
        change('agent', 'keep', 'device-1'),
        change('agent', 'keep', 'device-2'),
      ]),
    ).toBe('Nothing changes: 1 function and 2 agents stay.')
    expect(summariseChanges([])).toBe('')
  })
  test('without a deployment before, nothing is replaced', () => {
    expect(replaces([change('function', 'create', 'a'), change('agent', 'create', 'device-1')])).toBe(false)
    expect(replaces([change('function', 'create', 'a'), change('agent', 'remove', 'device-1')])).toBe(true)
  })
})
