// The tools of hdl-spinal: Java, sbt, Verilator, Yosys, nextpnr and Z3. What is missing is installed, or named by one sentence.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { cache, environment, root, run, SetupError } from './run.mjs'
import { installPackages, installPython, installSystem } from './setup.mjs'

/** The folder of the hardware's sources. */
export const hdl = path.join(root, 'hdl-spinal')
/** Where sbt's launcher and the stamps of tests and proofs are kept. */
export const folder = path.join(cache, 'hdl')
/** The Python environment that holds Yosys, nextpnr and Z3. */
export const fabricTools = path.join(cache, 'hdl-tools')
const SBT_VERSION = '1.12.14'
const launcher = path.join(folder, `sbt-launch-${SBT_VERSION}.jar`)

/** Installs what building and testing the hardware needs, the npm packages included. Throws `SetupError`, which names what is missing, where it may not. */
export async function installForHdl() {
  await installPackages()
  await installSystem(['java', 'maven', 'verilator', 'zlib', 'make', 'compiler', 'openfpgaloader'], {
    required: true,
  })
  mkdirSync(folder, { recursive: true })
  await fetchSbt()
  await fetchLibraries()
  await installFabricTools()
}

/** Installs Yosys, nextpnr and Z3 into the project's own folder: the versions and hashes of `hdl-spinal/requirements.txt`. */
export async function installFabricTools() {
  await installSystem(['python3', 'venv'], { required: true })
  await installPython('hdl-tools', path.join(hdl, 'requirements.txt'), { hashed: true })
}

async function fetchSbt() {
  if (existsSync(launcher)) return
  console.log('· Fetching sbt (once) ...')
  const artifact = `org.scala-sbt:sbt-launch:${SBT_VERSION}`
  const args = ['-q', '-B', 'dependency:copy', `-Dartifact=${artifact}`, `-DoutputDirectory=${folder}`]
  const { code, output } = await run('mvn', args, { quiet: true, cwd: folder })
  if (code !== 0 || !existsSync(launcher))
    throw new SetupError(
      `sbt could not be fetched: Maven found no ${artifact}.\n${output.trim().split('\n').slice(-5).join('\n')}`,
    )
}

async function fetchLibraries() {
  const build = ['build.sbt', 'project/build.properties'].map((file) => readFileSync(path.join(hdl, file)))
  const stamp = path.join(folder, `libraries-${hashOf(build)}`)
  if (existsSync(stamp)) return
  console.log('· Fetching the libraries of hdl-spinal (once) ...')
  if ((await sbt(['update'])) !== 0)
    throw new SetupError('sbt could not fetch the libraries of hdl-spinal; what it says is above.')
  writeFileSync(stamp, '')
}

/** A short hash of several contents. */
export const hashOf = (contents) => {
  const hash = createHash('sha256')
  for (const each of contents) hash.update(`${each.length}\0`).update(each)
  return hash.digest('hex').slice(0, 16)
}

/** Runs sbt commands in hdl-spinal; resolves to the exit code. */
export async function sbt(commands, env = {}) {
  const args = [
    '-Xms1g',
    '-Xmx2g',
    '-Dsbt.color=false',
    '-Dsbt.supershell=false',
    '-Dsbt.server.autostart=false',
  ]
  const { code } = await run('java', [...args, '-jar', launcher, ...commands], {
    cwd: hdl,
    env: environment(env),
  })
  return code
}

/** The files that a test of the hardware depends on, relative to the project. */
function sources() {
  const below = (name) =>
    readdirSync(path.join(root, name), { withFileTypes: true }).flatMap((entry) => {
      if (entry.name === 'target') return []
      const file = `${name}/${entry.name}`
      return entry.isDirectory() ? below(file) : [file]
    })
  return [
    ...below('hdl-spinal'),
    ...below('libs/fabric'),
    ...below('libs/nfu'),
    ...below('apps/cli/src'),
    'scripts/hdl-test.mjs',
    'scripts/hdl-verdict.mjs',
    'scripts/lib/hdl-proofs.mjs',
  ].sort()
}

/** A stamp that the sources as they are passed `suite` on this machine. */
export function passedStamp(suite) {
  const read = () =>
    hashOf(sources().flatMap((file) => [Buffer.from(file), readFileSync(path.join(root, file))]))
  const hash = read()
  const file = path.join(folder, `passed-${suite}-${hash}`)
  return {
    exists: () => existsSync(file),
    /** Whether the sources are still those of the stamp. */
    isOfSources: () => read() === hash,
    write: () => writeFileSync(file, `${new Date().toISOString()}\n`),
  }
}
