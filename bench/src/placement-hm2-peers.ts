/** The peers of HM2: how each is got, built and called. */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import path from 'node:path'
import { npmPackage, own, pythonWith } from './peers.ts'

/** What a run of any of them prints. */
export interface Hm2Result {
  cpuS: number
  version: string
  meanS: number
  p50S?: number
  p95S?: number
  p99S: number
  rssMB: number
}

/** A command to which the arguments are appended. */
export type Command = [command: string, ...args: string[]]

const LIMIT_MS = 300_000

function output(command: string, args: string[], cwd?: string): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd,
    encoding: 'utf8',
    timeout: LIMIT_MS,
    maxBuffer: 1 << 24,
  })
  if (error) throw new Error(`'${command}' could not run: ${error.message}`)
  if (status !== 0)
    throw new Error(
      `'${command}' failed: ${
        stderr
          .split('\n')
          .find((line) => /error/i.test(line))
          ?.trim() ?? 'it does not say why'
      }`,
    )
  return stdout
}

/** What a command prints. */
export const outputOf = ([command, ...args]: Command): string => output(command, args)

/** Runs a command that prints one JSON object. */
export function resultOf([command, ...args]: Command, ...more: (string | number)[]): Hm2Result {
  return JSON.parse(output(command, [...args, ...more.map(String)]))
}

/** A program built from sources in `peers/`: once for each content of them and each way to build it. */
function built(name: string, sources: string[], recipe: string[], build: (folder: string) => void): string {
  const hash = createHash('sha256').update(JSON.stringify(recipe))
  for (const source of sources) hash.update(readFileSync(own(`peers/${source}`)))
  const folder = own(`../.cache/bench/built/${name}-${hash.digest('hex').slice(0, 16)}`)
  const program = path.join(folder, name)
  if (existsSync(program)) return program
  // into a folder of its own first, so that a build cut short is not taken for one
  const making = `${folder}.${process.pid}`
  mkdirSync(making, { recursive: true })
  try {
    build(making)
    rmSync(folder, { recursive: true, force: true })
    renameSync(making, folder)
  } finally {
    rmSync(making, { recursive: true, force: true })
  }
  return program
}

function cpp(name: string, source: string, header: string, library: string, debian: string): string {
  if (!existsSync(`/usr/include/${header}`))
    throw new Error(`not installed here; install it with 'apt-get install g++ ${debian}' and run again`)
  const recipe = ['-O3', '-std=c++17', `-l${library}`]
  return built(name, [source], recipe, (folder) => {
    output('g++', [
      '-O3',
      '-std=c++17',
      own(`peers/${source}`),
      '-o',
      path.join(folder, name),
      `-l${library}`,
    ])
  })
}

function debianVersion(debian: string): string {
  return spawnSync('dpkg-query', ['-W', '-f', `\${Version}`, debian], { encoding: 'utf8' }).stdout ?? ''
}

function rust(name: string, folder: string): string {
  return built(name, [`${folder}/Cargo.toml`, `${folder}/src/main.rs`], ['release'], (target) => {
    if (spawnSync('cargo', ['--version']).error)
      throw new Error('cargo is not installed here; install Rust (rustup.rs) and run again')
    const home = path.join(target, 'source')
    cpSync(own(`peers/${folder}`), home, { recursive: true })
    output('cargo', ['build', '--release', '--quiet'], home)
    renameSync(path.join(home, 'target', 'release', name), path.join(target, name))
    rmSync(home, { recursive: true })
  })
}

export interface Hm2Peer {
  name: string
  /** How many times our CPU time it should take: what must hold, and what is wanted; `null` when it is there for comparison. */
  goal: { floor: number; goal: number } | null
  /** Gets and builds it; throws with a sentence when that cannot be done here. */
  prepare(): Command
  /** Its version, where it does not say so itself. */
  version?(): string
}

export const simpyCallbacks = (): Command => [
  pythonWith(['simpy==4.1.1']),
  own('peers/hm2_simpy_callbacks.py'),
]
export const dslab = (): Command => [rust('hm2-dslab', 'hm2-dslab')]

export const hm2Peers: Hm2Peer[] = [
  {
    name: 'JavaScript by hand, calendar queue',
    goal: { floor: 0.4, goal: 0.8 },
    prepare: () => [process.execPath, own('peers/hm2-calendar.mjs')],
  },
  {
    name: "JavaScript by hand, Lindley's recursion, no event list",
    goal: null,
    prepare: () => [process.execPath, own('peers/hm2-recursion.mjs')],
  },
  {
    name: "Rust by hand, Lindley's recursion, no event list",
    goal: null,
    prepare: () => [rust('hm2-recursion', 'hm2-recursion')],
  },
  { name: 'DSLab simcore', goal: null, prepare: dslab },
  {
    name: 'ns-3 core, priority queue scheduler',
    goal: null,
    prepare: () => [cpp('hm2-ns3', 'hm2-ns3.cc', 'ns3/core-module.h', 'ns3-core', 'libns3-dev')],
    version: () => debianVersion('libns3-dev'),
  },
  {
    name: 'SIM.JS',
    goal: null,
    prepare: () => [process.execPath, own('peers/hm2-simjs.mjs'), npmPackage('simjs', '2.0.3')],
  },
  {
    name: 'SimGrid, S4U actors',
    goal: null,
    prepare: () => [cpp('hm2-simgrid', 'hm2-simgrid.cpp', 'simgrid/s4u.hpp', 'simgrid', 'libsimgrid-dev')],
  },
  { name: 'SimPy, callbacks', goal: null, prepare: simpyCallbacks },
  {
    name: 'SimPy, processes',
    goal: null,
    prepare: () => [pythonWith(['simpy==4.1.1']), own('peers/hm2_simpy.py')],
  },
]
