/** Faulty texts: good ones, broken at random as people, editors and cats on keyboards break them. */

/** A small seeded generator (mulberry32): the same seed gives the same mutants. */
export function seeded(seed: number): (below: number) => number {
  let state = seed >>> 0
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

const SCRAPS = [
  '(',
  ')',
  '[',
  ']',
  '{',
  '}',
  ',',
  ',',
  '=',
  ':',
  ';',
  '.',
  '"',
  "'",
  "'''",
  '"""',
  '\\',
  '\n',
  '\r\n',
  '\r',
  '\t',
  ' ',
  '    ',
  '#',
  '# note\n',
  '@',
  '$',
  '?',
  '!',
  '`',
  '‘',
  '“',
  '\u00a0',
  '\u200b',
  '\ufeff',
  '\0',
  '\ud83d',
  '😀',
  'None',
  'null',
  'Task(',
  'Place(',
  'TaskGraph(list=[',
  'dict(',
  'childTask=[',
  "'all'",
  'x = 3\n',
  'import os\n',
  'def f():\n',
  'if x:\n    ',
  'lambda: ',
  'for a in b',
  ' not ',
  '**',
  '*',
  '-',
  '+',
  '1e999',
  '0x',
  '012',
  '1_000',
  "b'",
  "f'{",
  "r'\\",
  '...',
  '->',
  ':=',
  '[[[[[[[[',
  '))))))))',
]

/** One to six changes of `text`: pieces cut, doubled, moved, swapped or put in. */
export function mutate(text: string, random: (below: number) => number): string {
  let result = text
  for (let left = 1 + random(6); left > 0; left--) {
    const at = random(result.length + 1)
    const to = Math.min(result.length, at + (random(4) === 0 ? random(80) : random(4)))
    const piece = result.slice(at, to)
    const kind = random(6)
    if (kind === 0) result = result.slice(0, at) + result.slice(to)
    else if (kind === 1) result = result.slice(0, at) + piece + result.slice(at)
    else if (kind === 2) {
      const rest = result.slice(0, at) + result.slice(to)
      const target = random(rest.length + 1)
      result = rest.slice(0, target) + piece + rest.slice(target)
    } else if (kind === 3)
      result =
        result.slice(0, at) + String.fromCharCode(random(random(8) === 0 ? 0x10000 : 128)) + result.slice(to)
    else
      result =
        result.slice(0, at) + (SCRAPS[random(SCRAPS.length)] as string) + result.slice(random(2) ? to : at)
  }
  return result
}
