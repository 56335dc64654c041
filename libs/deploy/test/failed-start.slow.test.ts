/** What a deployment writes can be read while it starts, and after its start has failed. */
import { cpSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { anyDevices, type Deployment } from '../src/index.ts'
import { projectSpec } from './example.ts'
import { freshTarget } from './fresh-target.ts'
import { until } from './processes.ts'
import { placements, projectDir } from './walk.ts'

const fresh = freshTarget()
let dir = ''
beforeEach(() => {
  dir = path.join(fresh.scratchDir, 'walk')
  cpSync(projectDir, dir, { recursive: true })
})

const total = { kind: 'function', name: 'total' } as const

async function apply(name: string, onStarting: (deployment: Deployment) => void, current?: Deployment) {
  const spec = { ...(await projectSpec(dir, placements.cloud)), name, devices: anyDevices(1) }
  return fresh.target.apply(spec, { onStarting, ...(current && { current }) })
}

test('lines of a start that is under way, and of one that failed', { timeout: 240_000 }, async () => {
  const first = await apply('first', () => {})
  const file = path.join(dir, 'tasks/total.py')
  writeFileSync(
    file,
    "import time\nprint('reads the model', flush=True)\ntime.sleep(4)\nraise ValueError('no model')\n",
  )

  let starting: Deployment | undefined
  const second = apply(
    'second',
    (deployment) => {
      starting = deployment
    },
    first,
  )
  second.catch(() => {})
  await until(
    () => starting?.logs(total).some((line) => line.includes('reads the model')) ?? false,
    'the start has written nothing',
    60_000,
  )
  expect(starting?.status().state).toBe('starting')
  await expect(second).rejects.toThrow(/no model/)
  expect(starting?.status().state).toBe('stopped')
  expect(starting?.logs(total).join('\n')).toContain('reads the model')
  expect(starting?.logs(total).join('\n')).toMatch(/total\.py.*ValueError: no model/s)
  // What serves on has its own lines.
  expect(first.logs(total).join('\n')).not.toContain('reads the model')
})
