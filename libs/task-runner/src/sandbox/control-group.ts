/**
 * A control group of the kernel for the processes of one sandbox: bounds that hold for all of them together, and between
 * two looks of the watch. Where this process may make one: as root, or where the system has delegated a group to it.
 */
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'

/** What the processes of a sandbox may take together. */
export interface GroupLimits {
  /** Memory of the task, in MB. */
  memoryMB: number
  /** Processes and threads. */
  threads: number
}

/** Where the kernel shows its groups, and which ones this process is in; others in tests. */
export interface GroupFiles {
  root: string
  /** As in /proc/self/cgroup. */
  own: string
}

/** A folder of the kernel's in which a group can be made, and what is written to bound it. */
interface Place {
  dir: string
  bounds: (limits: GroupLimits) => Record<string, number>
  /** File that counts processes ended for memory. */
  ended?: string
}

/** So far above the limit of the task that the watch over its processes ends it first, and that its /tmp and /dev/shm fit. */
const memoryBytes = ({ memoryMB }: GroupLimits): number => Math.round((2 * memoryMB + 256) * 1e6)
/** A third of the weight of others. */
const SHARES = 341
const WEIGHT = 33
const SHELL = '/bin/sh'
/** Enters the groups whose files come before `--`, then becomes what comes behind it. */
const ENTER = 'while [ "$1" != -- ]; do echo $$ > "$1" || exit 125; shift; done; shift; exec "$@"'
const REMOVE_AGAIN_MS = 50
const REMOVE_TRIES = 40

let made = 0
let swept = false

/** Whether this process may make groups: tries it. */
export function mayMakeControlGroups(): boolean {
  const group = ControlGroup.make({ memoryMB: 64, threads: 64 })
  group?.remove()
  return group !== undefined
}

/** The group of one sandbox. */
export class ControlGroup {
  readonly #places: readonly Place[]

  private constructor(places: readonly Place[]) {
    this.#places = places
  }

  /** Makes a group; `undefined` where this process may not, or the system has none. */
  static make(limits: GroupLimits, files: GroupFiles = ofThisProcess()): ControlGroup | undefined {
    const parents = existsSync(SHELL) ? placesOf(files) : []
    if (parents.length === 0) return undefined
    if (!swept) for (const { dir } of parents) sweep(dir)
    swept = true
    made += 1
    const places = parents.map((parent) => ({
      ...parent,
      dir: path.join(parent.dir, `hivemind-${process.pid}-${made}`),
    }))
    const group = new ControlGroup(places)
    try {
      for (const { dir, bounds } of places) {
        mkdirSync(dir)
        for (const [file, value] of Object.entries(bounds(limits)))
          writeFileSync(path.join(dir, file), String(value))
      }
      return group
    } catch {
      group.remove()
      return undefined
    }
  }

  /** The command, so that it and all it starts are in the group from the beginning. */
  entering(program: string, args: readonly string[]): [string, string[]] {
    const files = this.#places.map(({ dir }) => path.join(dir, 'cgroup.procs'))
    return [SHELL, ['-c', ENTER, 'sh', ...files, '--', program, ...args]]
  }

  /** Whether the kernel has ended a process of it because all of them took too much memory. */
  get outOfMemory(): boolean {
    return this.#places.some(({ dir, ended }) => {
      if (ended === undefined) return false
      const [, count = '0'] = /^oom_kill (\d+)/m.exec(read(path.join(dir, ended))) ?? []
      return Number(count) > 0
    })
  }

  /** Removes it, as soon as its last process is gone. */
  remove(tries = REMOVE_TRIES): void {
    const left = this.#places.filter(({ dir }) => !removed(dir))
    if (left.length > 0 && tries > 1) setTimeout(() => this.remove(tries - 1), REMOVE_AGAIN_MS).unref()
  }
}

const ofThisProcess = (): GroupFiles => ({ root: '/sys/fs/cgroup', own: read('/proc/self/cgroup') })

/** Where groups can be made: a folder for each controller (version 1), or one for all (version 2). */
function placesOf({ root, own }: GroupFiles): Place[] {
  const lines = own.split('\n').map((line) => line.split(':'))
  if (existsSync(path.join(root, 'cgroup.controllers'))) {
    const group = path.join(root, lines.find(([number]) => number === '0')?.[2] ?? '/')
    // A group with processes of its own cannot have controlled ones in it: a service that was delegated one runs below it.
    const dir = [group, path.dirname(group)].find((each) => each.startsWith(root) && controls(each))
    return dir === undefined ? [] : [{ dir, ended: 'memory.events', bounds: version2 }]
  }
  const ofController = (name: string): string | undefined => {
    const group = lines.find(([, controllers = '']) => controllers.split(',').includes(name))?.[2]
    const dir = group === undefined ? undefined : path.join(root, name, group)
    return dir !== undefined && isWritable(dir) ? dir : undefined
  }
  const [memory, pids, cpu] = ['memory', 'pids', 'cpu'].map(ofController)
  return [
    ...(memory
      ? [
          {
            dir: memory,
            ended: 'memory.oom_control',
            bounds: (limits: GroupLimits) => ({ 'memory.limit_in_bytes': memoryBytes(limits) }),
          },
        ]
      : []),
    ...(pids ? [{ dir: pids, bounds: ({ threads }: GroupLimits) => ({ 'pids.max': threads }) }] : []),
    ...(cpu ? [{ dir: cpu, bounds: () => ({ 'cpu.shares': SHARES }) }] : []),
  ]
}

const version2 = (limits: GroupLimits): Record<string, number> => ({
  'memory.max': memoryBytes(limits),
  'pids.max': limits.threads,
  'cpu.weight': WEIGHT,
})

/** Whether the groups in a folder are bounded by all controllers, and more can be made. */
function controls(dir: string): boolean {
  const enabled = read(path.join(dir, 'cgroup.subtree_control')).trim().split(' ')
  return ['memory', 'pids', 'cpu'].every((name) => enabled.includes(name)) && isWritable(dir)
}

/** Removes the groups that killed processes have left. */
function sweep(dir: string): void {
  for (const name of readdirSync(dir)) {
    const [, pid] = /^hivemind-(\d+)-\d+$/.exec(name) ?? []
    if (pid !== undefined && !existsSync(`/proc/${pid}`)) removed(path.join(dir, name))
  }
}

function removed(dir: string): boolean {
  try {
    rmdirSync(dir)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT'
  }
}

function isWritable(dir: string): boolean {
  try {
    accessSync(dir, constants.W_OK)
    return true
  } catch {
    return false
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
