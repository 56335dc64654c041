import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { watchOthers } from './others.ts'

const busy = 'const until = Date.now() + 5000; while (Date.now() < until);'

test.runIf(existsSync('/proc/loadavg'))(
  'what this process has started is none of the others',
  async () => {
    // so many that it shows, whatever else the machine does
    const children = Array.from({ length: 30 }, () =>
      spawn(process.execPath, ['-e', busy], { stdio: 'ignore' }),
    )
    try {
      await pause(1500)
      const tell = watchOthers()
      await pause(1000)
      expect(tell()).toBeLessThan(20)
    } finally {
      for (const child of children) child.kill('SIGKILL')
    }
  },
  20_000,
)
