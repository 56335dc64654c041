import { expect, test } from 'vitest'
import { freeGroupName, groupsOf } from './groups.ts'
import { decorated } from './layout.ts'

const nodes = {
  a: { x: 0, y: 0, group: 'Eyes' },
  b: { x: 0, y: 0 },
  c: { x: 0, y: 0, group: 'Eyes' },
  gone: { x: 0, y: 0, group: 'Ears' },
}

test('groups have the tasks that the layout puts there and the workflow has', () => {
  expect(groupsOf(nodes, ['a', 'b', 'c', 'constructor'])).toEqual(new Map([['Eyes', ['a', 'c']]]))
})

test('a new group gets the first free name', () => {
  expect(freeGroupName(new Map())).toBe('Group 1')
  expect(
    freeGroupName(
      new Map([
        ['Group 1', []],
        ['Group 3', []],
      ]),
    ),
  ).toBe('Group 2')
})

test('a decoration changes one thing, and an empty text removes it', () => {
  const placed = { x: 1, y: 2, colour: 'red', note: 'look' }
  expect(decorated(placed, { group: 'Eyes' })).toEqual({ ...placed, group: 'Eyes' })
  expect(decorated(placed, { note: '' })).toEqual({ x: 1, y: 2, colour: 'red' })
})
