import { expect, test } from 'vitest'
// @ts-expect-error: a plain script, for Node.js 20.
import { auditLicences, isAllowed } from './lib/licences.mjs'

test.each([
  ['MIT', true],
  ['(MIT OR CC0-1.0)', true],
  ['EPL-2.0 OR GPL-3.0-or-later', true],
  ['MIT AND Apache-2.0', true],
  ['GPL-3.0-or-later', false],
  ['MIT AND GPL-2.0-only', false],
  ['UNLICENSED', false],
  ['SEE LICENSE IN LICENSE.txt', false],
])('%s: %s', (expression, expected) => expect(isAllowed(expression)).toBe(expected))

test('names what is refused, and passes over the own packages', () => {
  const packages = {
    '': { license: 'Apache-2.0' },
    'libs/own': { version: '1.0.0' },
    'node_modules/own': { link: true },
    'node_modules/good': { version: '1.0.0', license: 'ISC' },
    'node_modules/good/node_modules/bad': { version: '2.0.0', license: 'AGPL-3.0-only' },
    'node_modules/silent': { version: '3.0.0' },
  }
  expect(auditLicences({ packages })).toEqual({
    count: 3,
    refused: ['bad@2.0.0: AGPL-3.0-only', 'silent@3.0.0: names no licence'],
  })
})
