/** A process of the tests that is a member of a group. Arguments: url, lease in ms, options. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type LambdaOptions, openRedisStore, VersionConflictError } from '../../src/index.ts'
import { text } from '../values.ts'

const [url = '', leaseMs = '', options = ''] = process.argv.slice(2)
const store = await openRedisStore({ url, leaseMs: Number(leaseMs) })

/**
 * Logs each delivery and has an effect once for each write. The first delivery of 'hang' never ends, and 'poison' ends the
 * process.
 */
await store.bind(
  '/work/in',
  async ({ key, id, attempt, bytes }, context) => {
    const name = key.slice(key.lastIndexOf('/') + 1)
    const content = String(bytes && Buffer.from(bytes))
    process.send?.({ id, attempt })
    await context.store.put(`/work/log/${name}`, text(JSON.stringify({ id, attempt, pid: process.pid })))
    if (content === 'poison') process.exit(1)
    if (content === 'hang' && attempt === 1) await new Promise(() => {})
    await sleep(5)
    await context.store.put(`/work/effects/${id}`, text(name), { expectedVersion: 0 }).catch((error) => {
      if (!(error instanceof VersionConflictError)) throw error
    })
  },
  JSON.parse(options) as LambdaOptions,
)
process.send?.('ready')
process.on('disconnect', () => process.exit())
