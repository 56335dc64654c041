import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { hashOf, isSecret, KeyRing, newSecret } from './key-ring.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function added(ring: KeyRing, name: string, expiresAt: Date | null = null): string {
  const secret = newSecret(name)
  const grants = [{ prefix: '/p', access: 'read' as const }]
  ring.add({ name, grants, hash: hashOf(secret), expiresAt, createdAt: new Date() })
  return secret
}

test('a secret has a form of its own, names its key, and is another each time', () => {
  const secret = newSecret('camera-7')
  expect(secret).toMatch(/^hmk_camera-7_[\w-]{43}$/)
  expect(newSecret('camera-7')).not.toBe(secret)
  expect(isSecret(secret)).toBe(true)
  for (const other of ['', 'password', `${secret}x`, secret.slice(0, -1), secret.replace('hmk', 'hmx')])
    expect([other, isSecret(other)]).toEqual([other, false])
})

test('a key is found by its own secret alone', () => {
  const ring = new KeyRing()
  const first = added(ring, 'first')
  const second = added(ring, 'second')
  expect(ring.find(first).holder).toMatchObject({ name: 'first', how: 'key', grants: [{ prefix: '/p' }] })
  const mixed = second.replace('second', 'first')
  expect(ring.find(mixed)).toMatchObject({ claimed: { name: 'first' }, holder: undefined, expired: false })
  for (const unknown of [newSecret('third'), '', 'hmk_first_', '0'.repeat(64)])
    expect(ring.find(unknown)).toEqual({ claimed: undefined, holder: undefined, expired: false })
})

test('a key that is removed is not found, and what was opened with it ends', () => {
  const ring = new KeyRing()
  const secret = added(ring, 'camera')
  const ended = ring.find(secret).holder?.ended
  expect(ended?.aborted).toBe(false)
  ring.remove('camera')
  expect([ended?.aborted, ring.find(secret).holder, ring.list()]).toEqual([true, undefined, []])
  // One of the same name has another secret.
  added(ring, 'camera')
  expect(ring.find(secret).holder).toBeUndefined()
})

test.each([1_000, 90 * 24 * 3600_000])(
  'a key that expires in %i ms ends then, also what was opened with it',
  (lifetimeMs) => {
    const ring = new KeyRing()
    const secret = added(ring, 'camera', new Date(Date.now() + lifetimeMs))
    const ended = ring.find(secret).holder?.ended
    vi.advanceTimersByTime(lifetimeMs - 1)
    expect([ended?.aborted, ring.find(secret).expired]).toEqual([false, false])
    vi.advanceTimersByTime(1)
    expect([ended?.aborted, ring.find(secret).expired]).toEqual([true, true])
    expect(ring.find(secret).holder).toBeUndefined()
    expect(ring.list()).toHaveLength(1)
  },
)
