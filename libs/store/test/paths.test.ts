import fc from 'fast-check'
import { expect, it } from 'vitest'
import { InvalidPathError } from '../src/errors.ts'
import { checkPath, holds, MAX_PATH_BYTES } from '../src/paths.ts'
import { PrefixTrie } from '../src/prefix-trie.ts'

const accepts = (path: string): boolean => {
  try {
    checkPath(path)
    return true
  } catch (error) {
    expect(error).toBeInstanceOf(InvalidPathError)
    return false
  }
}

it('a path is components that are not empty, each after a slash, well-formed, without a null character and not too long', () => {
  const unit = fc.constantFrom('/', '/', 'a', 'b', '.', '\0', '\x7f', '\x80', 'é', '\ud83d', '\ude00', '😀')
  const long = fc.nat({ max: 400 }).map((length) => `/${'é'.repeat(length)}${'a'.repeat(300)}`)
  const texts = fc.oneof(
    fc.array(unit, { maxLength: 12 }).map((units) => units.join('')),
    long,
  )
  fc.assert(
    fc.property(texts, (text) => {
      const components = text.split('/')
      const isPath =
        components.length > 1 &&
        components[0] === '' &&
        components.slice(1).every((each) => each !== '') &&
        !text.includes('\0') &&
        text.isWellFormed() &&
        Buffer.byteLength(text) <= MAX_PATH_BYTES
      expect(accepts(text)).toBe(isPath)
    }),
    { numRuns: 3_000 },
  )
  expect(accepts(`/${'a'.repeat(MAX_PATH_BYTES - 1)}`)).toBe(true)
  expect(accepts(`/${'a'.repeat(MAX_PATH_BYTES)}`)).toBe(false)
})

it('values are found by the paths below theirs, from the shortest to the longest, few or many of them', () => {
  const path = fc
    .array(fc.constantFrom('a', 'b', 'ab'), { minLength: 1, maxLength: 4 })
    .map((parts) => `/${parts.join('/')}`)
  const step = fc.record({ path, value: fc.nat({ max: 2 }), isRemoval: fc.boolean() })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), fc.array(path, { maxLength: 10 }), (steps, asked) => {
      const trie = new PrefixTrie<number>()
      const bound: { path: string; value: number; remove(): void }[] = []
      for (const { path: at, value, isRemoval } of steps) {
        const known = bound.findIndex((each) => each.path === at && each.value === value)
        if (isRemoval && known >= 0) bound.splice(known, 1)[0]?.remove()
        else if (known < 0) bound.push({ path: at, value, remove: trie.add(at, value) })
      }
      expect(trie.size).toBe(bound.length)
      for (const at of asked)
        expect(trie.match(at)).toEqual(
          bound
            .filter((each) => holds(each.path, at))
            .toSorted((a, b) => a.path.length - b.path.length)
            .map(({ value }) => value),
        )
    }),
    { numRuns: 1_000 },
  )
})
