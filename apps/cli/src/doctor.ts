/** What this machine has of what HiveMind can use, and how to get what it lacks. */
import { execFile } from 'node:child_process'
import { accessSync, constants, existsSync, readFileSync, statfsSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { type Backup, listBackups } from '@hivemind/data-folder'
import { inspectSandbox, mayMakeControlGroups } from '@hivemind/task-runner'

/** One thing that was looked at. */
export interface Finding {
  name: string
  /** `missing` of what HiveMind needs for what it is asked to do; `optional` of what only some things need. */
  state: 'ok' | 'missing' | 'optional'
  /** What was found, or what it is for. */
  detail: string
  /** How to mend it. */
  fix?: string
}

const run = promisify(execFile)
const TIME_LIMIT_MS = 10_000
const MIN_FREE_BYTES = 1e9
const HOUR_MS = 3_600_000

interface Program {
  name: string
  command: string
  args: string[]
  /** What only works with it. */
  use: string
  fix: string
  needed?: true
}

const PROGRAMS: readonly Program[] = [
  {
    name: 'Python',
    command: 'python3',
    args: ['--version'],
    use: 'Python task code',
    fix: 'apt-get install python3',
    needed: true,
  },
  {
    name: 'PostgreSQL client',
    command: 'pg_dump',
    args: ['--version'],
    use: 'backups of a database named by DATABASE_URL',
    fix: 'apt-get install postgresql-client',
  },
  {
    name: 'Redis',
    command: 'redis-server',
    args: ['--version'],
    use: 'object stores on Redis',
    fix: 'apt-get install redis-server',
  },
  {
    name: 'Thrift compiler',
    command: 'thrift',
    args: ['--version'],
    use: 'stubs of generated interfaces in other languages',
    fix: 'apt-get install thrift-compiler',
  },
  {
    name: 'FPGA tools',
    command: 'yosys',
    args: ['-V'],
    use: 'hardware for network functional units',
    fix: 'apt-get install yosys nextpnr-ice40',
  },
  {
    name: 'Cluster',
    command: 'kubectl',
    args: ['version', '--client'],
    use: 'functions on a Kubernetes cluster',
    fix: 'install kubectl and name a cluster in ~/.kube/config',
  },
]

async function programFinding({ name, command, args, use, fix, needed }: Program): Promise<Finding> {
  try {
    const { stdout, stderr } = await run(command, args, { timeout: TIME_LIMIT_MS })
    const [said = ''] = (stdout || stderr).trim().split('\n')
    return { name, state: 'ok', detail: said === '' ? 'works' : said }
  } catch (error) {
    const { code } = error as { code?: unknown }
    const why = code === 'ENOENT' ? 'not there' : 'there, but it does not work'
    return { name, state: needed ? 'missing' : 'optional', detail: `${why}; for ${use}`, fix }
  }
}

function sandboxFinding(): Finding {
  const name = 'Sandbox'
  const report = inspectSandbox()
  if (report.works) return { name, state: 'ok', detail: 'task code runs confined (bubblewrap)' }
  return {
    name,
    state: 'optional',
    detail: `${report.reason}; task code runs with your rights, and not at all for a service that others reach`,
    fix: report.fix,
  }
}

function cgroupFinding(): Finding {
  const name = 'cgroups'
  const kind = existsSync('/sys/fs/cgroup/cgroup.controllers')
    ? 'version 2'
    : existsSync('/sys/fs/cgroup/memory')
      ? 'version 1'
      : ''
  const fix = 'start the service as a systemd service with Delegate=yes and DelegateSubgroup=main'
  if (kind === '')
    return {
      name,
      state: 'optional',
      detail: 'not there; what task code takes is watched instead',
      fix,
    }
  return mayMakeControlGroups()
    ? { name, state: 'ok', detail: `${kind}; each sandbox has one` }
    : { name, state: 'optional', detail: `${kind}, but this user may not make groups`, fix }
}

function folderFindings(dataDir: string): Finding[] {
  const name = 'Data folder'
  if (!existsSync(dataDir))
    return [{ name, state: 'ok', detail: `${dataDir} is made when the service starts` }]
  try {
    accessSync(dataDir, constants.W_OK)
  } catch {
    return [
      {
        name,
        state: 'missing',
        detail: `${dataDir} cannot be written`,
        fix: `give it to this user: chown -R ${process.getuid?.() ?? 'USER'} ${dataDir}`,
      },
    ]
  }
  const { bavail, bsize } = statfsSync(dataDir)
  const free = `${((bavail * bsize) / 1e9).toFixed(1)} GB free`
  return bavail * bsize >= MIN_FREE_BYTES
    ? [{ name, state: 'ok', detail: `${dataDir}, ${free}` }]
    : [{ name, state: 'missing', detail: `${dataDir}, only ${free}`, fix: 'make room on its disk' }]
}

function backupFinding(dataDir: string, [newest]: readonly Backup[]): Finding {
  const name = 'Backups'
  if (newest) {
    const hours = Math.floor((Date.now() - Date.parse(newest.createdAt)) / HOUR_MS)
    return { name, state: 'ok', detail: `the newest is ${hours} h old: ${newest.dir}` }
  }
  const detail = existsSync(path.join(dataDir, 'projects')) ? 'there is none' : 'nothing to back up yet'
  return {
    name,
    state: 'optional',
    detail,
    fix: "run 'hivemind backup'; a running service makes one each hour",
  }
}

/** The first line of /etc/os-release that names the system. */
function systemName(): string {
  try {
    return /^PRETTY_NAME="?([^"\n]*)/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1] ?? process.platform
  } catch {
    return process.platform
  }
}

/** Looks at this machine and at a data folder. */
export async function examine(dataDir: string, backupDir: string): Promise<Finding[]> {
  const programs = await Promise.all(PROGRAMS.map(programFinding))
  return [
    { name: 'System', state: 'ok', detail: `${systemName()}, Node.js ${process.versions.node}` },
    ...programs,
    sandboxFinding(),
    cgroupFinding(),
    ...folderFindings(dataDir),
    backupFinding(dataDir, await listBackups(backupDir)),
  ]
}
