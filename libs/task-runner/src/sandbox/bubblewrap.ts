/** The sandbox as a command line of bubblewrap, and whether this machine can run it. */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { type Mount, mountArguments, systemMounts } from './mounts.ts'

/** Where the bundle of a task is inside its sandbox. */
export const TASK_DIR = '/task'
/** User and group id of task code in its namespace. */
const TASK_UID = '1000'
/** Sizes of /tmp and /dev/shm, in bytes: all that task code can write. */
export const TMP_BYTES = 64 * 1024 * 1024
export const SHM_BYTES = 64 * 1024 * 1024
const PROBE_LIMIT_MS = 10_000

/** What the kernel and the installed bubblewrap let a sandbox have. */
export interface Features {
  /** Task code cannot make user namespaces of its own (bubblewrap 0.8 or newer). */
  noNestedNamespaces: boolean
  /** It has a /proc of its own. Some containers do not let any be mounted; then it has none. */
  ownProc: boolean
}

/** Whether task code can be confined on this machine; if not, why, and how to fix it. */
export type SandboxReport =
  | { works: true; features: Features }
  | { works: false; reason: string; fix: string }

/** What runs in a sandbox. */
export interface Confined {
  program: string
  args: readonly string[]
  mounts: readonly Mount[]
  /** Whether it has the network of the machine; only a loopback of its own otherwise. */
  network: boolean
  /** Its working directory. */
  cwd: string
  /** File descriptor that the filter of system calls is read from; none when absent. */
  seccompFd?: number
}

/** From what is safest to what more machines allow. */
const VARIANTS: readonly Features[] = [
  { noNestedNamespaces: true, ownProc: true },
  { noNestedNamespaces: false, ownProc: true },
  { noNestedNamespaces: true, ownProc: false },
  { noNestedNamespaces: false, ownProc: false },
]

/** Parts of /proc that are those of the whole machine, and that root may write in any namespace. */
const MACHINE_PROC = ['sys', 'irq', 'bus', 'fs', 'acpi', 'scsi', 'driver', 'tty'].map(
  (name) => `/proc/${name}`,
)

/** Arguments that leave these parts to be read only. */
const closedProc = (): string[] =>
  MACHINE_PROC.filter((folder) => existsSync(folder)).flatMap((folder) => ['--ro-bind', folder, folder])

const NAMESPACES = ['user', 'pid', 'ipc', 'uts'].map((name) => `--unshare-${name}`)

/** The command line of `bwrap` that runs a program in a sandbox. */
export function bubblewrapArguments(confined: Confined, features: Features): string[] {
  const { program, args, mounts, network, cwd, seccompFd } = confined
  return [
    ...NAMESPACES,
    '--unshare-cgroup-try',
    ...(network ? [] : ['--unshare-net']),
    ...(features.noNestedNamespaces ? ['--disable-userns'] : []),
    ...['--uid', TASK_UID, '--gid', TASK_UID, '--hostname', 'task'],
    // it ends with whoever started it, and everything in its process namespace with it
    '--die-with-parent',
    '--new-session',
    ...(seccompFd === undefined ? [] : ['--seccomp', String(seccompFd)]),
    ...(features.ownProc ? ['--proc', '/proc', ...closedProc(), '--remount-ro', '/proc'] : []),
    ...['--dev', '/dev', '--size', String(SHM_BYTES), '--perms', '1777', '--tmpfs', '/dev/shm'],
    ...['--remount-ro', '/dev'],
    ...['--size', String(TMP_BYTES), '--perms', '1777', '--tmpfs', '/tmp'],
    ...mountArguments(mounts),
    ...['--remount-ro', '/', '--chdir', cwd],
    '--',
    program,
    ...args,
  ]
}

let report: SandboxReport | undefined

/** Tries the sandbox once in the life of this process. */
export function inspectSandbox(): SandboxReport {
  report ??= probe()
  return report
}

function probe(): SandboxReport {
  if (process.platform !== 'linux')
    return {
      works: false,
      reason: 'namespaces are a part of Linux',
      fix: 'run HiveMind on Linux, in a virtual machine or a container',
    }
  const probed: Confined = {
    program: '/usr/bin/env',
    args: ['true'],
    mounts: systemMounts(false),
    network: false,
    cwd: '/tmp',
  }
  let reason = ''
  for (const features of VARIANTS) {
    const tried = spawnSync('bwrap', bubblewrapArguments(probed, features), {
      timeout: PROBE_LIMIT_MS,
      encoding: 'utf8',
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    if (tried.status === 0) return { works: true, features }
    const { code } = (tried.error ?? {}) as NodeJS.ErrnoException
    if (code === 'ENOENT')
      return {
        works: false,
        reason: 'bubblewrap (bwrap) is not installed',
        fix: 'sudo apt-get install bubblewrap',
      }
    reason = tried.stderr.trim().split('\n').at(-1) || tried.error?.message || `exit code ${tried.status}`
  }
  return {
    works: false,
    reason: `bubblewrap cannot make a sandbox here (${reason})`,
    fix: 'let users make namespaces: sudo sysctl -w kernel.unprivileged_userns_clone=1 kernel.apparmor_restrict_unprivileged_userns=0; in a container, give it --security-opt seccomp=unconfined --security-opt apparmor=unconfined',
  }
}
