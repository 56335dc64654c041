/** All deployments together have a bounded number of processes of this machine. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { anyDevices, localTarget } from '../src/index.ts'
import { projectSpec } from './example.ts'
import { placements, projectDir } from './walk.ts'

test('a deployment beyond the bound is told what has the processes; there is room again once that is undeployed', {
  timeout: 240_000,
}, async () => {
  const scratchDir = mkdtempSync(path.join(tmpdir(), 'hivemind-test-'))
  const target = localTarget({ scratchDir, maxProcesses: 10 })
  const apply = async (name: string, devices: number) =>
    target.apply({ ...(await projectSpec(projectDir, placements.edge)), name, devices: anyDevices(devices) })
  try {
    await expect(apply('large', 2)).rejects.toThrow(
      /needs 14 processes on this machine: .* HIVEMIND_MAX_PROCESSES allows 10\. Use fewer agents/,
    )
    const first = await apply('first', 1)
    await expect(apply('second', 1)).rejects.toThrow(
      /needs 8 processes on this machine: .* HIVEMIND_MAX_PROCESSES allows 10, and other deployments have 8\. Undeploy/,
    )
    expect(first.status().state).toBe('ready')
    await first.undeploy()
    const second = await apply('second', 1)
    expect(second.status().state).toBe('ready')
  } finally {
    await target.close()
    rmSync(scratchDir, { recursive: true, force: true })
  }
})
