/** Lambdas of the tests that run isolated. */
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { isMainThread, threadId } from 'node:worker_threads'
import { type LambdaContext, type LambdaObject, VersionConflictError } from '../../src/index.ts'

/** Puts what it was called with, and where it runs, under the key in its config. */
export async function report(
  { key, bytes, info }: LambdaObject,
  { store, config }: LambdaContext,
): Promise<void> {
  const { to } = config as { to: string }
  const text = JSON.stringify({
    key,
    version: info?.version ?? null,
    content: bytes && Buffer.from(bytes).toString(),
    pid: process.pid,
    worker: isMainThread ? 0 : threadId,
  })
  await store.put(`${to}/${key.slice(key.lastIndexOf('/') + 1)}`, {
    type: 'application/json',
    bytes: Buffer.from(text),
  })
}

/** Uses several operations of the store, and says whether its errors arrive as what they are. */
export async function operate(_: LambdaObject, { store, config }: LambdaContext): Promise<void> {
  const { to } = config as { to: string }
  const { version } = await store.put(`${to}/a`, { type: 'text/plain', bytes: Buffer.from('a') })
  const refused = await store
    .put(`${to}/a`, { type: 'text/plain', bytes: Buffer.from('b') }, { expectedVersion: 0 })
    .catch((error) => error instanceof VersionConflictError && error.actual === version)
  const { objects } = await store.multiGet(to)
  const text = JSON.stringify({ refused, keys: [...objects.keys()] })
  await store.put(`${to}/outcome`, { type: 'application/json', bytes: Buffer.from(text) })
}

let leaving = false

/** Returns at once, and leaves work running that takes some turns of the event loop. */
export function leaveRunning(_: LambdaObject, { store, config }: LambdaContext): void {
  const { to } = config as { to: string }
  if (leaving) return
  leaving = true
  void sleep(5)
    .then(() => sleep(5))
    .then(() => store.put(`${to}/left`, { type: 'text/plain', bytes: Buffer.from('done') }))
}

/** Returns its object in capitals with its config behind, or what no lambda may return. */
export function shout({ bytes }: LambdaObject, { config }: LambdaContext): unknown {
  const text = Buffer.from(bytes ?? []).toString()
  if (text === 'nonsense') return { nonsense: () => {} }
  return { type: 'text/plain', bytes: Buffer.from(text.toUpperCase() + (config ?? '')) }
}

/** Returns the cores that its process may use. */
export function cores(): unknown {
  const [, list = ''] = /^Cpus_allowed_list:\s*(\S+)/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? []
  return { type: 'text/plain', bytes: Buffer.from(list) }
}

/** Ends its process or thread at 'exit', loops at 'loop', throws at 'throw'. */
export default function misbehave({ key }: LambdaObject): void {
  if (key.endsWith('/exit')) process.exit(3)
  while (key.endsWith('/loop'));
  if (key.endsWith('/throw')) throw new RangeError('out of range')
}
