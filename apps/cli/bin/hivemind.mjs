#!/usr/bin/env node
// Starts the command on a Node.js that runs TypeScript: this one when it is new enough, else the project's own.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import module from 'node:module'
import { fileURLToPath } from 'node:url'

const [major, minor] = process.versions.node.split('.').map(Number)
if (major >= 24 || (major === 22 && minor >= 18)) {
  // What was compiled is kept beside the dependencies, which halves the time to start.
  module.enableCompileCache?.(
    fileURLToPath(new URL('../../../node_modules/.cache/hivemind', import.meta.url)),
  )
  await import('../src/main.ts')
} else {
  const bundled = fileURLToPath(new URL('../../../node_modules/.bin/node', import.meta.url))
  if (!existsSync(bundled)) {
    console.error('hivemind: the project is not set up yet: run `npm start` or `npm ci` in its folder first.')
    process.exit(3)
  }
  const child = spawn(bundled, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], {
    stdio: 'inherit',
  })
  // A terminal sends Ctrl-C to both processes, so only the other signals are handed on; the child cleans up and ends.
  process.on('SIGINT', () => {})
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('exit', (code) => process.exit(code ?? 3))
}
