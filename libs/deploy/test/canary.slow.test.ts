/** A new version is tried on a share of the calls first: a bad one costs no run anything, and a good one takes over. */
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { synthesise } from '@hivemind/synthesis'
import { expect, test } from 'vitest'
import {
  type ApplyOptions,
  anyDevices,
  type Deployment,
  type DeploymentSpec,
  readProject,
} from '../src/index.ts'
import { freshTarget } from './fresh-target.ts'
import { expected, placements, projectDir, walk } from './walk.ts'

const DEVICES = 2
const CANARY = { share: 0.5, calls: 6, limitMs: 120_000 }

const fresh = freshTarget()

/** The fixture project with other code in `loud`. */
async function version(
  name: string,
  change: (code: string) => string = (code) => code,
): Promise<DeploymentSpec> {
  const dir = path.join(fresh.scratchDir, name)
  cpSync(projectDir, dir, { recursive: true })
  const file = path.join(dir, 'tasks/loud.mjs')
  writeFileSync(file, change(readFileSync(file, 'utf8')))
  const { files } = await readProject(dir)
  const synthesis = synthesise({ name: 'walk', workflow: walk(), placement: placements.hybrid, files })
  return { name, synthesis, projectDir: dir, devices: anyDevices(DEVICES) }
}
const failing = (code: string): string =>
  code.replace(/^(export .*\{)$/m, "$1\n  throw new Error('no such model')")

async function runOn(deployment: Deployment): Promise<void> {
  const { state, message, outputs } = await deployment.run()
  expect(state, message).toBe('succeeded')
  expect(outputs.map(({ value }) => value)).toEqual([expected(DEVICES)])
}

/** Brings a version up on trial; resolves once it is being tried. */
async function tried(spec: DeploymentSpec, current: Deployment, more: Partial<ApplyOptions> = {}) {
  const messages: string[] = []
  const trial = Promise.withResolvers<void>()
  const applied = fresh.target.apply(spec, {
    current,
    canary: CANARY,
    onTrial: () => trial.resolve(),
    onStatus: ({ message }) => void (message !== undefined && messages.push(message)),
    ...more,
  })
  applied.catch(trial.reject)
  await trial.promise
  return { applied, messages }
}

test('code that fails is reverted by itself, and no run has lost anything by it', {
  timeout: 240_000,
}, async () => {
  const first = await fresh.target.apply(await version('first'))
  const { applied, messages } = await tried(await version('second', failing), first)
  applied.catch(() => {})
  await runOn(first)
  await expect(applied).rejects.toThrow(
    /^Reverted: 3 of 3 calls of the new functions failed, and 0 of .*no such model/,
  )
  expect(messages).toContain(
    'Trying it on 50 % of the calls of runs on the deployment before: 1 of 6 calls, 1 failed.',
  )
  expect(first.status().state).toBe('ready')
  await runOn(first)
})

test('code that does as well takes over, when the run that it was tried on has ended', {
  timeout: 240_000,
}, async () => {
  const first = await fresh.target.apply(await version('first'))
  const { applied } = await tried(await version('second', (code) => `${code}\n// the same\n`), first)
  await runOn(first)
  const second = await applied
  expect(first.status().state).toBe('stopped')
  expect(second.status().state).toBe('ready')
  await runOn(second)
})

test('a trial is cancelled, or has too few calls: what was serves on', { timeout: 240_000 }, async () => {
  const first = await fresh.target.apply(await version('first'))
  const second = await version('second', (code) => `${code}\n// the same\n`)
  const stop = new AbortController()
  const { applied } = await tried(second, first, { signal: stop.signal })
  stop.abort()
  await expect(applied).rejects.toThrow()
  const late = await tried(second, first, { canary: { ...CANARY, limitMs: 1 } }).catch(
    (error: unknown) => error,
  )
  if (late instanceof Error) expect(late.message).toMatch(/too few to judge/)
  else await expect((late as { applied: Promise<Deployment> }).applied).rejects.toThrow(/too few to judge/)
  await runOn(first)
})

test('a run that is under way when the trial begins is tried on, and ends as it would', {
  timeout: 240_000,
}, async () => {
  const first = await fresh.target.apply(await version('first'))
  const second = await version('second', (code) => `${code}\n// the same\n`)
  let done = false
  const runs = (async () => {
    for (; !done && first.status().state === 'ready'; ) await runOn(first)
  })()
  const { applied } = await tried(second, first)
  const standing = await applied
  done = true
  await runs
  await runOn(standing)
})
