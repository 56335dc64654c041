import { readFileSync } from 'node:fs'
import { TIERS, tierRow } from '@hivemind/swarm'
import { expect, test } from 'vitest'
import { colourOf, letterKey, tierColour, tierLabel, tierLetter, tierOrder } from './tiers.ts'

const styles = readFileSync(new URL('../../styles.css', import.meta.url), 'utf8')

test('every tier of the table has a label, a letter, a position and a colour', () => {
  for (const { id, label, letter, chartOrder } of TIERS) {
    expect(tierLabel[id]).toBe(label)
    expect(tierLetter[id]).toBe(letter)
    expect(tierOrder[id]).toBe(chartOrder)
    expect(tierColour[id]).toBe(colourOf(tierRow(id)))
  }
  expect(letterKey).toBe('C cloud, E edge, F fabric, N edge node')
})

test('the design system defines the colour of every tier, for light and for dark', () => {
  const defined = (token: string) =>
    [...styles.matchAll(/--color-([a-z-]+): (#[0-9a-f]{6});/g)].filter(([, name]) => name === token)
  for (const { colour } of TIERS) {
    const values = defined(colour).map(([, , value]) => value)
    expect(values, colour).toHaveLength(2)
    expect(new Set(values).size, colour).toBe(2)
  }
  // their names are put together when the page runs: Tailwind would leave out what it does not find
  expect(styles).toContain('@theme static {')
})

test('a new row gets its colour from its token alone', () => {
  expect(colourOf({ ...tierRow('cloud'), colour: 'site' })).toBe('var(--color-site)')
})
