import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

it('an answer longer than a pipe holds arrives in full, however slowly it is read', async () => {
  const file = fileURLToPath(new URL('../src/output.ts', import.meta.url))
  // whoever looks at standard output makes a pipe one that does not wait
  const script = `process.stdout.isTTY; const { answer } = await import(${JSON.stringify(file)}); answer('x'.repeat(1_000_000))`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await pause(500)
  let length = 0
  child.stdout.on('data', (chunk: Buffer) => {
    length += chunk.length
  })
  const [code] = await once(child, 'close')
  expect(code).toBe(0)
  expect(length).toBe(1_000_001)
})
