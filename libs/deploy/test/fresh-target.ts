/** A local target for each test of a file, in a folder of its own, of which nothing stays. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach } from 'vitest'
import { localTarget, type Target } from '../src/index.ts'
import { processesIn, until } from './processes.ts'

/** Where the test under way deploys, and the folder that its processes run in. */
interface FreshTarget {
  target: Target
  scratchDir: string
}

export function freshTarget(): Readonly<FreshTarget> {
  const fresh = {} as FreshTarget
  beforeEach(() => {
    fresh.scratchDir = mkdtempSync(path.join(tmpdir(), 'hivemind-test-'))
    fresh.target = localTarget({ scratchDir: fresh.scratchDir })
  })
  afterEach(async () => {
    const { target, scratchDir } = fresh
    await target.close()
    await until(() => processesIn(scratchDir).length === 0, 'a process is left', 10_000)
    rmSync(scratchDir, { recursive: true, force: true })
  }, 60_000)
  return fresh
}
