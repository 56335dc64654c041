/** New revisions on a share of the calls of a real cluster: `npm run test:cluster`. */
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { Deployment } from '../src/index.ts'
import { freshCluster } from './fresh-cluster.ts'
import { until } from './processes.ts'
import { expected } from './walk.ts'
import { DEVICES, otherLoud, servicesIn, specOf, valuesOf } from './walk-on-cluster.ts'

const cluster = freshCluster()
const services = () => servicesIn(cluster)

test('new revisions are tried on a share of the calls: one that fails is reverted, one that does as well takes over', {
  timeout: 400_000,
}, async () => {
  const target = await cluster.target()
  const first = await target.apply(await specOf())
  const standing = services()
  const onTrial = async (dir: string) => {
    const trial = Promise.withResolvers<void>()
    const spec = { ...(await specOf({}, dir)), name: path.basename(dir) }
    const canary = { share: 0.5, calls: 6, limitMs: 120_000 }
    const applied = target.apply(spec, { current: first, canary, onTrial: () => trial.resolve() })
    applied.catch(trial.reject)
    await trial.promise
    return applied.catch((error: unknown) => error)
  }
  const failing = otherLoud(cluster, 'failing', (code) =>
    code.replace(/^(export .*\{)$/m, "$1\n  throw new Error('no model')"),
  )
  const reverting = onTrial(failing)
  await until(
    () => Object.values(services()).length === 3 && services().loud !== standing.loud,
    'nothing is tried',
    120_000,
  )
  const reverted = await Promise.race([reverting, runsUntil(first, reverting)])
  expect(reverted).toMatchObject({ message: expect.stringMatching(/^Reverted: .*no model/) })
  // Neither the trial nor its end is taken for somebody else's change.
  await pause(6_000)
  expect(first.status().resources.map(({ state, message }) => message ?? state)).not.toContainEqual(
    expect.stringMatching(/Somebody/),
  )
  expect(await valuesOf(first)).toEqual([expected(DEVICES)])

  const good = onTrial(otherLoud(cluster, 'good', (code) => `${code}\n// the same\n`))
  const second = (await Promise.race([good, runsUntil(first, good)])) as Deployment
  expect(second).not.toBeInstanceOf(Error)
  expect(second.status().state).toBe('ready')
  expect(first.status().state).toBe('stopped')
  expect(await valuesOf(second)).toEqual([expected(DEVICES)])
})

/** Starts runs one after the other until something else has happened, and gives that. Each must succeed. */
async function runsUntil(on: Deployment, other: Promise<unknown>): Promise<unknown> {
  let done = false
  void other.then(() => {
    done = true
  })
  while (!done && on.status().state === 'ready') {
    const { state, message } = await on.run()
    if (!done && on.status().state === 'ready') expect(state, message).toBe('succeeded')
    await pause(200)
  }
  return other
}
