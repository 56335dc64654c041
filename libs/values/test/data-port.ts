/** What every `DataPort` must do. `describePort` runs it against one. */
import { describe, expect, it } from 'vitest'
import {
  type DataPort,
  decodeValue,
  type EncodedValue,
  encodeValue,
  INLINE_LIMIT,
  MissingValueError,
  referTo,
  refSize,
  type StoredRef,
} from '../src/index.ts'

/** Runs the suite against a port. Pools that a test makes are dropped at its end. */
export function describePort(name: string, make: () => Promise<DataPort>): void {
  describe(`the port of ${name}`, () => {
    const jpeg: EncodedValue = { type: 'image/jpeg', bytes: new Uint8Array([10, 0, 10]) }

    it('keeps every version, under any name', async () => {
      const port = await make()
      const refs: Record<'first' | 'second', StoredRef>[] = []
      const names = ['run 1/look', 'run 1', 'run 1/', '/', '..', '.', '', '%', 'ä*?', '\0']
      for (const key of [...names, 'x'.repeat(1_000), `${'x'.repeat(999)}y`]) {
        const first = await port.put('pool', key, encodeValue({ key }))
        const second = await port.put('pool', key, jpeg)
        expect([first, second]).toMatchObject([
          { pool: 'pool', key },
          { pool: 'pool', key },
        ])
        expect(second.version).toBeGreaterThan(first.version)
        refs.push({ first, second })
      }
      for (const { first, second } of refs) {
        const value = await port.get(second)
        expect([value.type, ...value.bytes]).toEqual(['image/jpeg', 10, 0, 10])
        expect(decodeValue(await port.get(first))).toEqual({ key: first.key })
      }
      await port.drop('pool')
    })

    it('drops a pool and no other, and says what is not there any more', async () => {
      const port = await make()
      const [gone, kept] = [await port.put('a', 'k', jpeg), await port.put('b', 'k', jpeg)]
      await port.drop('a')
      await port.drop('a')
      await expect(port.get(gone)).rejects.toThrow(MissingValueError)
      for (const version of [kept.version + 8, kept.version - 1])
        await expect(port.get({ ...kept, version })).rejects.toThrow(MissingValueError)
      await expect(port.get({ ...kept, version: 9 })).rejects.toThrow("The value 'k' (version 9) of 'b'")
      expect((await port.get(kept)).type).toBe('image/jpeg')
      await port.drop('b')
    })

    it('keeps pools apart, under any name', async () => {
      const port = await make()
      const names = ['run', 'run.passing', 'run/1', 'run/', '..', '', '%', 'ä', 'x'.repeat(1_000)]
      const refs = await Promise.all(names.map((pool) => port.put(pool, 'k', encodeValue(pool))))
      await port.drop('run')
      for (const [n, ref] of refs.entries())
        if (n === 0) await expect(port.get(ref)).rejects.toThrow(MissingValueError)
        else expect(decodeValue(await port.get(ref))).toBe(names[n])
      for (const pool of names) await port.drop(pool)
    })

    it('takes values again for a pool that was dropped', async () => {
      const port = await make()
      await port.put('again', 'k', encodeValue(1))
      await port.drop('again')
      const ref = await port.put('again', 'k', encodeValue(2))
      expect(decodeValue(await port.get(ref))).toBe(2)
      await port.drop('again')
    })

    it('gives versions of their own to values that come together', async () => {
      const port = await make()
      const refs = await Promise.all(
        Array.from({ length: 20 }, (_, n) => port.put('many', 'k', encodeValue(n))),
      )
      expect(new Set(refs.map(({ version }) => version)).size).toBe(20)
      for (const [n, ref] of refs.entries()) expect(decodeValue(await port.get(ref))).toBe(n)
      await port.drop('many')
    })

    it('refers to small values by the values', async () => {
      const port = await make()
      const small = encodeValue(new Uint8Array(INLINE_LIMIT))
      const large = encodeValue(new Uint8Array(INLINE_LIMIT + 1))
      const inline = await referTo(port, 'p', 'k', small)
      expect(inline).toMatchObject({ kind: 'inline', bytes: small.bytes })
      expect((await port.get(inline)).bytes).toBe(small.bytes)
      const stored = await referTo(port, 'p', 'k', large)
      expect(stored).toMatchObject({ kind: 'stored', pool: 'p', key: 'k' })
      expect([inline, stored].map(refSize)).toEqual([INLINE_LIMIT, INLINE_LIMIT + 1])
      expect((await port.get(stored)).bytes.length).toBe(INLINE_LIMIT + 1)
      await port.drop('p')
    })
  })
}
