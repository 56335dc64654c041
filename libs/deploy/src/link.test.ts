import { expect, test } from 'vitest'
import { formatLink, LinkError, parseLink } from './link.ts'

test('a link is read from its parts, in any order', () => {
  expect(parseLink('54mbit,2ms,0.1%')).toEqual({ mbps: 54, delayMs: 2, loss: 0.001, shared: true })
  expect(parseLink('0.5% , own, 250us, 2 Gbit')).toEqual({
    mbps: 2000,
    delayMs: 0.25,
    loss: 0.005,
    shared: false,
  })
  expect(parseLink('256kbit')).toEqual({ mbps: 0.256, delayMs: 0, loss: 0, shared: true })
  const link = parseLink('54mbit,2ms,0.1%')
  expect(parseLink(formatLink(link))).toEqual(link)
})

test.each([
  ['', /neither a rate/],
  ['fast', /'fast' is neither a rate, a delay nor a loss: write it as/],
  ['54', /'54' is neither/],
  ['54mbit,2', /'2' is neither/],
  ['-1mbit', /'-1mbit' is neither/],
  ['2ms', /names no rate/],
  ['0mbit', /from 64kbit to 100gbit/],
  ['1000gbit', /from 64kbit to 100gbit/],
  ['1mbit,20s', /at most 10s/],
  ['1mbit,1ms,80%', /at most 50%/],
  ['1mbit,2mbit', /'2mbit' says for a second time/],
  ['1mbit,own,shared', /'shared' says for a second time/],
])('nonsense is refused with a sentence: %s', (text, sentence) => {
  expect(() => parseLink(text)).toThrow(LinkError)
  expect(() => parseLink(text)).toThrow(sentence)
})
