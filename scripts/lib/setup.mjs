// Brings a fresh machine to where the project can start or be tested. Every step is skipped when it is already done,
// and an interrupted one is simply done again: a stamp is written only after the step has ended well.
import { createHash } from 'node:crypto'
import { accessSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { cache, root, run, SetupError } from './run.mjs'

const lockFile = path.join(root, 'package-lock.json')
const packagesStamp = path.join(root, 'node_modules/.hivemind-stamp')

function say(text) {
  console.log(`· ${text}`)
}

function alive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}

/** Lets one set-up run at a time; a lock whose process is gone is taken over. */
export async function withSetupLock(work) {
  mkdirSync(cache, { recursive: true })
  const lock = path.join(cache, 'setup.lock')
  for (let told = false; ; ) {
    try {
      writeFileSync(lock, String(process.pid), { flag: 'wx' })
      break
    } catch (error) {
      if (error.code !== 'EEXIST') throw new SetupError(`Cannot write to ${cache}: ${error.message}.`)
      const owner = Number(readFileSync(lock, 'utf8').trim() || 0)
      if (owner === process.pid || !owner || !alive(owner)) {
        rmSync(lock, { force: true })
        continue
      }
      if (!told) say(`Another set-up (process ${owner}) is under way; waiting for it.`)
      told = true
      await new Promise((resolve) => setTimeout(resolve, 500))
    }
  }
  const release = () => rmSync(lock, { force: true })
  process.once('exit', release)
  try {
    return await work()
  } finally {
    release()
    process.off('exit', release)
  }
}

/** Installs the npm packages of the lock file, when they are not the ones that are there. */
export async function installPackages() {
  const wanted = createHash('sha256').update(readFileSync(lockFile)).update(process.platform).digest('hex')
  if (existsSync(packagesStamp) && readFileSync(packagesStamp, 'utf8') === wanted) return
  say('Installing npm packages (once; about two minutes) ...')
  // Not `npm ci`: it refuses a lock file that lacks the binaries of platforms the registry at hand does not carry.
  const { code, output } = await run('npm', ['install', '--no-save', '--loglevel=error'], {
    quiet: true,
    env: process.env,
  })
  if (code !== 0)
    throw new SetupError(
      `npm install failed (exit code ${code}):\n${output.trim().split('\n').slice(-15).join('\n')}`,
    )
  writeFileSync(packagesStamp, wanted)
}

/** What the project needs of the system, how to see that it is there, and the Debian package that brings it. */
const systemNeeds = {
  python3: {
    package: 'python3',
    file: null,
    command: ['python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 9))']],
    why: 'Python task code',
  },
  venv: {
    package: 'python3-venv',
    command: ['python3', ['-c', 'import venv, ensurepip']],
    why: 'tests with Python packages',
  },
  bubblewrap: { package: 'bubblewrap', command: ['bwrap', ['--version']], why: 'the sandbox of task code' },
  chromium: { package: 'chromium', file: '/usr/bin/chromium', why: 'browser tests' },
  fonts: {
    package: 'fonts-liberation',
    file: '/usr/share/fonts/truetype/liberation',
    why: 'readable screenshots',
  },
  postgres: {
    package: 'postgresql-15',
    file: '/usr/lib/postgresql/15/bin/postgres',
    why: 'tests on a PostgreSQL server',
  },
  mosquitto: {
    package: 'mosquitto',
    file: '/usr/sbin/mosquitto',
    service: 'mosquitto', // tests start their own
    why: 'tests on another MQTT broker',
  },
  redis: {
    package: 'redis-server',
    file: '/usr/bin/redis-server',
    service: 'redis-server', // tests start their own
    why: 'tests of the store on Redis',
  },
  openssl: {
    package: 'openssl',
    command: ['openssl', ['version']],
    why: 'tests of certificates and signatures',
  },
  cadaver: { package: 'cadaver', file: '/usr/bin/cadaver', why: 'tests of the store as files' },
  thrift: { package: 'thrift-compiler', command: ['thrift', ['--version']], why: 'tests of generated stubs' },
  libthrift: { package: 'libthrift-dev', file: '/usr/include/thrift/Thrift.h', why: 'tests of C++ stubs' },
  boost: {
    package: 'libboost-dev', // libthrift's headers include it, but its package only recommends it
    file: '/usr/include/boost/numeric/conversion/cast.hpp',
    why: 'tests of C++ stubs',
  },
  pythonThrift: {
    package: 'python3-thrift',
    file: '/usr/lib/python3/dist-packages/thrift/Thrift.py',
    why: 'tests of Python stubs',
  },
  libcoap: {
    package: 'libcoap3-dev',
    file: '/usr/include/coap3/coap.h',
    why: 'the server of network functions in C',
  },
  coapClient: {
    package: 'libcoap3-bin',
    file: '/usr/bin/coap-client-notls',
    why: 'tests with another CoAP client',
  },
  compiler: { package: 'g++', command: ['g++', ['--version']], why: 'tests of C++ stubs' },
}

/** What simulations of the fabric need besides. */
const hdlNeeds = {
  java: { package: 'openjdk-17-jdk-headless', command: ['javac', ['-version']], why: 'tests of hardware' },
  maven: { package: 'maven', command: ['mvn', ['--version']], why: 'tests of hardware' },
  verilator: { package: 'verilator', command: ['verilator', ['--version']], why: 'tests of hardware' },
  zlib: { package: 'zlib1g-dev', file: '/usr/include/zlib.h', why: 'tests of hardware' },
  make: { package: 'make', command: ['make', ['--version']], why: 'tests of hardware' },
  openfpgaloader: {
    package: 'openfpgaloader',
    command: ['openFPGALoader', ['--help']],
    why: 'boards on USB',
  },
}

async function isThere(need) {
  if (need.file) {
    try {
      accessSync(need.file)
      return true
    } catch {
      return false
    }
  }
  return (await run(need.command[0], need.command[1], { quiet: true })).code === 0
}

/**
 * Installs the named system packages that are missing, through apt. Where it may not (no root, no apt), it says what to
 * type; `required` then decides between stopping and going on without.
 */
export async function installSystem(names, { required }) {
  const missing = []
  for (const name of names) {
    const need = systemNeeds[name] ?? hdlNeeds[name]
    if (!(await isThere(need))) missing.push(need)
  }
  if (missing.length === 0) return
  const packages = missing.map((need) => need.package)
  const why = [...new Set(missing.map((need) => need.why))].join(', ')
  const asRoot =
    process.getuid?.() === 0
      ? []
      : (await run('sudo', ['-n', 'true'], { quiet: true })).code === 0
        ? ['sudo', '-n']
        : null
  const hasApt = (await run('apt-get', ['--version'], { quiet: true })).code === 0
  const byHand = `Missing for ${why}: ${packages.join(', ')}. Install by hand: sudo apt-get install ${packages.join(' ')}`
  if (asRoot && hasApt) {
    say(`Installing Debian packages for ${why}: ${packages.join(', ')} ...`)
    const apt = async (...args) => {
      const [command, ...rest] = [...asRoot, 'env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get', ...args]
      return run(command, rest, { quiet: true })
    }
    await apt('update')
    const { code, output } = await apt('install', '-y', '--no-install-recommends', ...packages)
    if (code === 0) {
      // A broker that only tests need shall not run on this machine because of them.
      for (const { service } of missing) {
        const [command, ...args] = [...asRoot, 'systemctl', 'disable', '--now', service]
        if (service) await run(command, args, { quiet: true })
      }
      return
    }
    if (required) throw new SetupError(`${byHand}\n${output.trim().split('\n').slice(-5).join('\n')}`)
  } else if (required) throw new SetupError(byHand)
  console.warn(`! ${byHand}`)
}

/**
 * Installs the Python packages of a requirements file into `.cache/NAME`; does nothing when they are there already. With
 * `hashed`, pip refuses a package whose hash the file does not have.
 */
export async function installPython(name, requirements, { hashed = false } = {}) {
  const folder = path.join(cache, name)
  const stamp = path.join(folder, 'requirements.sha256')
  const wanted = createHash('sha256').update(readFileSync(requirements)).digest('hex')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return
  say(`Installing Python packages: ${path.relative(root, requirements)} ...`)
  const steps = [
    ['python3', ['-m', 'venv', '--clear', folder]],
    [
      path.join(folder, 'bin/pip'),
      [
        'install',
        '--quiet',
        '--disable-pip-version-check',
        ...(hashed ? ['--require-hashes'] : []),
        '-r',
        requirements,
      ],
    ],
  ]
  for (const [command, args] of steps) {
    const { code, output } = await run(command, args, { quiet: true })
    if (code !== 0)
      throw new SetupError(
        `The Python packages of ${path.relative(root, requirements)} could not be installed:\n${output.trim().split('\n').slice(-5).join('\n')}`,
      )
  }
  writeFileSync(stamp, wanted)
}

/** Installs all that the tests need beside the npm packages: Debian packages, and the SDKs of other languages. */
export async function installForTests() {
  await installSystem(Object.keys(systemNeeds), { required: true })
  await installPython(
    'python-cloudevents',
    path.join(root, 'apps/function-host/test/clients/requirements.txt'),
  )
  await installPython('python-aiocoap', path.join(root, 'libs/nfu/test/requirements.txt'))
  await installPython('python-opentelemetry', path.join(root, 'apps/api/test/traces/requirements.txt'))
  await installPython('python-schemathesis', path.join(root, 'apps/api/test/fuzz/requirements.txt'))
}
