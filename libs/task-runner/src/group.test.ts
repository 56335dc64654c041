import { spawn } from 'node:child_process'
import { expect, test } from 'vitest'
import { ProcessGroup } from './group.ts'

test('before a sandbox has its own /proc, the processes of the machine are not taken for its own', async () => {
  // As a sandbox is at its start: a process that waits for another, which still has the root of the machine.
  const child = spawn('sh', ['-c', '(sleep 61; true) & wait'], { stdio: 'ignore', detached: true })
  try {
    const group = new ProcessGroup(child.pid ?? 0, true)
    await expect.poll(() => group.use().processes).toBe(1)
    expect(group.use().nowMB).toBeLessThan(20)
  } finally {
    process.kill(-(child.pid ?? 0), 'SIGKILL')
  }
})
