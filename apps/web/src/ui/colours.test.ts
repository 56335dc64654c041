import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { ciede2000, contrast, difference, SIGHTS } from '../../test/colourVision.ts'

const css = readFileSync(new URL('../styles.css', import.meta.url), 'utf8')

/** Tokens of a scheme by name; the dark one changes some of the light one. */
const tokensOf = (text: string): Record<string, string> =>
  Object.fromEntries(
    [...text.matchAll(/--color-([\w-]+): (#[0-9a-f]{6});/g)].map(([, name, hex]) => [name, hex]),
  )
const [light = '', dark = ''] = css.split('data-scheme="dark"')
const schemes = { light: tokensOf(light), dark: { ...tokensOf(light), ...tokensOf(dark) } }

test('the distance of colours is CIEDE2000', () => {
  // The first, the seventeenth and the last pair of the data of Sharma, Wu and Dalal 2005.
  expect(ciede2000([50, 2.6772, -79.7751], [50, 0, -82.7485])).toBeCloseTo(2.0425, 4)
  expect(ciede2000([50, 2.5, 0], [73, 25, -18])).toBeCloseTo(27.1492, 4)
  expect(ciede2000([2.0776, 0.0795, -1.135], [0.9033, -0.0636, -0.5514])).toBeCloseTo(0.9082, 4)
})

describe.each(Object.entries(schemes))('the %s scheme', (_, tokens) => {
  const colour = (name: string): string => {
    const hex = tokens[name]
    if (!hex) throw new Error(`There is no token ${name}.`)
    return hex
  }
  const groups = [
    ['part-network', 'part-management', 'part-exchange', 'part-execution'],
    ['cloud', 'edge', 'edge-node', 'fabric'],
    ['danger', 'ok', 'accent'],
  ]
  const pairs = groups.flatMap((names) =>
    names.flatMap((a, at) => names.slice(at + 1).map((b) => [a, b] as const)),
  )

  test.each(pairs)('%s and %s are apart for every sight', (a, b) => {
    for (const sight of Object.keys(SIGHTS))
      expect(difference(colour(a), colour(b), sight), sight).toBeGreaterThan(20)
  })

  test.each([
    ['danger', 'surface'],
    ['danger', 'danger-soft'],
    ['ok', 'surface'],
    ['ok', 'ok-soft'],
    ['warn', 'warn-soft'],
    ['accent-strong', 'accent-soft'],
    ['muted', 'surface'],
    ['muted', 'canvas'],
    ['on-tier', 'cloud'],
    ['on-tier', 'edge'],
    ['on-tier', 'fabric'],
    ['on-tier', 'edge-node'],
  ])('%s can be read on %s', (text, ground) => {
    expect(contrast(colour(text), colour(ground))).toBeGreaterThanOrEqual(4.5)
  })
  test.each(['canvas', 'surface'])('arrows stand out from the %s', (ground) => {
    expect(contrast(colour('arrow'), colour(ground))).toBeGreaterThanOrEqual(3)
  })
  test.each(groups[0] as string[])('%s stands out from the surface', (part) => {
    expect(contrast(colour(part), colour('surface'))).toBeGreaterThanOrEqual(3)
  })
})
