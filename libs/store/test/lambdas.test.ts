import { expect, it } from 'vitest'
import { InvalidOptionError } from '../src/index.ts'
import { ENGINES, embedded } from './engines.ts'
import { describeLambdas } from './lambda-conformance.ts'

for (const [name, start] of ENGINES) describeLambdas(name, start)

it('lambdas of an embedded store have no groups', async () => {
  const { store, stop } = await embedded()
  await store.createPool('/p')
  await expect(store.bind('/p', () => {}, { group: 'detectors' })).rejects.toThrow(InvalidOptionError)
  const chosen = store.triggerPut('/p/1', { type: 'a/b', bytes: new Uint8Array() }, { member: 'a' })
  await expect(chosen).rejects.toThrow(InvalidOptionError)
  await store.close()
  await stop()
})
