// `npm start`: sets up what is missing, builds what has changed, starts the service and opens the IDE.
// Options after `--` go to the service: --port, --host, --data-dir; --no-open keeps the browser closed.
import { spawn } from 'node:child_process'
import path from 'node:path'
import { buildApps } from './lib/build.mjs'
import { environment, node24, root, run, SetupError } from './lib/run.mjs'
import { serviceEnvironment, serviceOptions } from './lib/service-process.mjs'
import { installPackages, installSystem, withSetupLock } from './lib/setup.mjs'

const args = process.argv.slice(2)
const openBrowser =
  !args.includes('--no-open') &&
  !process.env.CI &&
  (process.env.DISPLAY || process.env.WAYLAND_DISPLAY || process.platform !== 'linux')
const serviceArgs = args.filter((arg) => arg !== '--no-open')

function open(url) {
  const [command, rest] = process.platform === 'darwin' ? ['open', [url]] : ['xdg-open', [url]]
  spawn(command, rest, { stdio: 'ignore', detached: true })
    .on('error', () => {})
    .unref()
}

try {
  await withSetupLock(async () => {
    await installPackages()
    await installSystem(['python3', 'bubblewrap'], { required: false })
    await buildApps()
  })
  if (openBrowser) {
    const portAt = serviceArgs.indexOf('--port')
    const url = `http://127.0.0.1:${portAt >= 0 ? serviceArgs[portAt + 1] : (process.env.PORT ?? 4310)}/`
    const poll = setInterval(async () => {
      const up = await fetch(`${url}api/health`).then(
        (answer) => answer.ok,
        () => false,
      )
      if (!up) return
      clearInterval(poll)
      open(url)
    }, 300)
    poll.unref()
  }
  const program = path.join(root, 'apps/api/dist/main.js')
  const { code } = await run(node24(), [...serviceOptions, program, ...serviceArgs], {
    env: { ...serviceEnvironment, ...environment() },
  })
  process.exit(code)
} catch (error) {
  if (!(error instanceof SetupError)) throw error
  console.error(`HiveMind could not be set up. ${error.message}`)
  process.exit(3)
}
