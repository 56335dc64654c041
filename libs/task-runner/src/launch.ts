/** How the process of a task is started: its command, environment and folder, confined or not. */
import { fileURLToPath } from 'node:url'
import { boundTo } from './cores.ts'
import { TaskError } from './error.ts'
import { givingWay } from './priority.ts'
import { pythonProgram } from './python.ts'
import { bubblewrapArguments, inspectSandbox, TASK_DIR } from './sandbox/bubblewrap.ts'
import { limited } from './sandbox/limits.ts'
import { sandboxModeIn } from './sandbox/mode.ts'
import { type Mount, packageMounts, systemMounts } from './sandbox/mounts.ts'
import { nodeRuntime, pythonRuntime, type Runtime } from './sandbox/runtimes.ts'
import { seccompFilter } from './sandbox/seccomp.ts'
import type { RunnerSpec } from './types.ts'

const nodeHost = fileURLToPath(new URL('./host/node.ts', import.meta.url))
const pythonHost = fileURLToPath(new URL('./host/host.py', import.meta.url))

/** A command that starts the process of a task. */
export interface Launch {
  /** The program that runs the task, as its messages name it. */
  program: string
  command: string
  args: string[]
  env: Record<string, string>
  /** Working directory of the command, outside any sandbox. */
  cwd: string
  /** The bundle as the task's process sees it. */
  dir: string
  confined: boolean
  /** What it reads from file descriptor 4: its filter of system calls. */
  filter?: Buffer
}

const FILTER_FD = 4

/** Plans the process of a task. Throws `TaskError` where a sandbox is required and cannot be had. */
export function launchOf(spec: RunnerSpec): Launch {
  const program = spec.runtime === 'python' ? pythonProgram() : process.execPath
  const args =
    spec.runtime === 'python'
      ? [pythonHost]
      : [`--max-old-space-size=${Math.ceil(spec.memoryMB)}`, '--no-warnings', nodeHost]
  const confined = confinedLaunch(spec, program, args)
  if (confined) return confined
  const [command, commandArgs] = boundTo(spec.cores, program, args)
  // It watches this process, and ends with it.
  const env = { ...environment(), HIVEMIND_RUNNER: String(process.pid) }
  return { program, command, args: commandArgs, env, cwd: spec.dir, dir: spec.dir, confined: false }
}

function confinedLaunch(spec: RunnerSpec, program: string, args: string[]): Launch | undefined {
  const mode = sandboxModeIn(process.env)
  if (mode === 'off') return undefined
  const report = inspectSandbox()
  if (!report.works) {
    if (mode === 'auto') return undefined
    throw new TaskError(
      'load',
      `Task '${spec.task}' does not run without a sandbox: ${report.reason}. To fix it, ${report.fix}; or set HIVEMIND_SANDBOX=off to run task code with your rights.`,
    )
  }
  const env = { ...environment(), HOME: '/tmp', TMPDIR: '/tmp' }
  const runtime: Runtime | undefined =
    spec.runtime === 'python' ? pythonRuntime(program, environment()) : nodeRuntime()
  if (!runtime) return unanswering(spec, program)
  const filter = seccompFilter()
  const [limitedProgram, limitedArgs] = limited(runtime.program, args, spec.memoryMB)
  const [sandbox, sandboxArgs] = givingWay(
    'bwrap',
    bubblewrapArguments(
      {
        program: limitedProgram,
        args: limitedArgs,
        mounts: [
          ...systemMounts(spec.network === true),
          ...hostMounts(),
          ...runtime.mounts,
          ...bundleMount(spec),
        ],
        network: spec.network === true,
        cwd: spec.runtime === 'nfu' ? '/tmp' : TASK_DIR,
        ...(filter && { seccompFd: FILTER_FD }),
      },
      report.features,
    ),
  )
  const [command, commandArgs] = boundTo(spec.cores, sandbox, sandboxArgs)
  return {
    program,
    command,
    args: commandArgs,
    env: { ...env, ...runtime.env },
    cwd: spec.dir,
    dir: spec.runtime === 'nfu' ? '/tmp' : TASK_DIR,
    confined: true,
    ...(filter && { filter }),
  }
}

/** Starts a Python that did not answer without any code, so that its end says what is wrong with it. */
const unanswering = (spec: RunnerSpec, program: string): Launch => ({
  program,
  command: program,
  args: ['-c', ''],
  env: environment(),
  cwd: spec.dir,
  dir: spec.dir,
  confined: false,
})

let ownMounts: Mount[] | undefined

/** Our own code that runs in the process of a task. */
function hostMounts(): Mount[] {
  ownMounts ??= packageMounts(nodeHost)
  return ownMounts
}

/** A functional unit has no bundle: its folder is that of whoever runs it. */
const bundleMount = (spec: RunnerSpec): Mount[] =>
  spec.runtime === 'nfu' ? [] : [{ at: TASK_DIR, source: spec.dir }]

/** What task code needs of this process's environment to run. */
function environment(): Record<string, string> {
  const names = ['PATH', 'HOME', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR']
  const kept = names.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]]))
  return { ...Object.fromEntries(kept), PYTHONDONTWRITEBYTECODE: '1', PYTHONUNBUFFERED: '1' }
}
