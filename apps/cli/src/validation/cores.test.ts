import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { watchCores } from './cores.ts'

const busy = 'const until = Date.now() + 5000; while (Date.now() < until);'

test.runIf(existsSync('/proc/self/schedstat'))(
  'what this process has started is its work and none of the others, and waits for the cores it shares',
  async () => {
    // so many that it shows, whatever else the machine does
    const children = Array.from({ length: 30 }, () =>
      spawn(process.execPath, ['-e', busy], { stdio: 'ignore' }),
    )
    try {
      await pause(1500)
      const tell = watchCores(children.map(({ pid = 0 }) => pid))
      await pause(1000)
      const { others, workMs, onCore } = tell()
      expect(others).toBeLessThan(20)
      expect(workMs).toBeGreaterThan(50)
      expect(onCore).toBeGreaterThan(0)
      expect(onCore).toBeLessThan(0.9)
    } finally {
      for (const child of children) child.kill('SIGKILL')
    }
  },
  20_000,
)
