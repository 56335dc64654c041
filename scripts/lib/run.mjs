// Child processes for the project's own scripts: started, watched, and never left behind.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '')
export const cache = path.join(root, '.cache')

/** A failure the user can act on: one sentence, no stack trace. */
export class SetupError extends Error {}

/** The Node.js that came with `npm ci` (24), or this one when it is new enough. */
export function node24() {
  const bundled = path.join(root, 'node_modules/.bin/node')
  if (existsSync(bundled)) return bundled
  const [major, minor] = process.versions.node.split('.').map(Number)
  if (major > 22 || (major === 22 && minor >= 18)) return process.execPath
  throw new SetupError(
    `This platform (${process.platform} ${process.arch}) has no bundled Node.js: install Node.js 24 or newer and try again.`,
  )
}

/**
 * The environment in which every step runs: the bundled Node.js and the project's tools come first, and what Node.js compiles is kept
 * beside the dependencies.
 */
export function environment(extra = {}) {
  const modules = path.join(root, 'node_modules')
  const PATH = `${path.join(modules, '.bin')}${path.delimiter}${process.env.PATH ?? ''}`
  const compiled = process.env.NODE_COMPILE_CACHE ?? path.join(modules, '.cache/hivemind')
  return { ...process.env, PATH, NODE_COMPILE_CACHE: compiled, ...extra }
}

const running = new Set()
let stopping = false

function stopAll(signal) {
  // npm takes its time to take back what it had begun
  if (!stopping) setTimeout(() => console.error('Stopping; what was begun is being undone ...'), 1000).unref()
  stopping = true
  for (const child of running) child.kill(signal)
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
  process.on(signal, () => {
    if (running.size === 0) process.exit(130)
    stopAll(signal === 'SIGHUP' ? 'SIGTERM' : signal)
  })
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

/**
 * Runs a command to its end and resolves to `{ code, output }`. With `quiet` its output is kept and only returned;
 * otherwise it goes straight to the terminal. A command that is not there gives code 127.
 */
export function run(command, args, { quiet = false, env = environment(), cwd = root } = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd,
      env,
      stdio: ['ignore', quiet ? 'pipe' : 'inherit', quiet ? 'pipe' : 'inherit'],
    })
    running.add(child)
    let output = ''
    const keep = (chunk) => {
      output += chunk
    }
    child.stdout?.on('data', keep)
    child.stderr?.on('data', keep)
    const end = (code) => {
      running.delete(child)
      if (stopping) process.exit(130)
      resolve({ code, output })
    }
    child.on('error', () => end(127))
    child.on('close', (code, signal) => end(code ?? (signal ? 128 : 1)))
  })
}
