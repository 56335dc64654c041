/** What a function host is started with: a JSON file, or the same as text in the environment. */
import { readFileSync } from 'node:fs'
import type { FunctionConfig, ServedTask } from '@hivemind/task-runner'

/** Reads the configuration of the file, or of `HIVEMIND_FUNCTION_CONFIG` (a path or JSON). Throws an `Error` with a sentence. */
export function readConfig(file: string | undefined, env: NodeJS.ProcessEnv): FunctionConfig {
  const source = file ?? env.HIVEMIND_FUNCTION_CONFIG
  if (!source) throw new Error('Usage: hivemind-function-host --config FILE (or HIVEMIND_FUNCTION_CONFIG).')
  let value: Partial<FunctionConfig>
  try {
    value = JSON.parse(source.trimStart().startsWith('{') ? source : readFileSync(source, 'utf8'))
  } catch (error) {
    throw new Error(`The configuration of the function cannot be read: ${(error as Error).message}.`)
  }
  const config: Partial<FunctionConfig> = {
    args: {},
    dataIn: [],
    emits: 'one',
    memoryMB: 512,
    timeoutMs: 60_000,
    concurrency: 1,
    ...value,
    ...(env.PORT && { port: Number(env.PORT) }),
    ...(env.K_SINK && !value.sink && { sink: env.K_SINK }),
  }
  const problems = problemsOf(config)
  if (problems.length > 0)
    throw new Error(`The configuration of the function lacks or has wrong: ${problems.join(', ')}.`)
  return config as FunctionConfig
}

const isText = (value: unknown): boolean => typeof value === 'string' && value !== ''
const isOptionalText = (value: unknown): boolean => value === undefined || isText(value)

/** What must hold of each task. */
const checksOf = (task: Partial<ServedTask>): Record<string, boolean> => ({
  task: isText(task.task),
  runtime: ['node', 'python', 'nfu'].includes(task.runtime ?? ''),
  code: isText(task.code),
  dir: isText(task.dir),
  args: typeof task.args === 'object' && task.args !== null,
  network: task.network === undefined || typeof task.network === 'boolean',
  memoryMB: Number(task.memoryMB) > 0,
  dataIn: Array.isArray(task.dataIn),
  emits: task.emits === 'one' || task.emits === 'many',
  timeoutMs: Number(task.timeoutMs) > 0,
  stateField: isOptionalText(task.stateField),
  files:
    task.files === undefined ||
    (Array.isArray(task.files) && task.files.every(({ path, hash }) => isText(path) && isText(hash))),
})

/** What must hold of the tasks behind the first: each reads what some before it emit, and is called as often. */
function coPlacedChecks({ task, emits, coPlaced = [] }: Partial<FunctionConfig>): Record<string, boolean> {
  if (!Array.isArray(coPlaced)) return { coPlaced: false }
  const before = new Map([[task, emits]])
  const checks: Record<string, boolean> = {}
  for (const [index, each] of coPlaced.entries()) {
    for (const [name, good] of Object.entries(checksOf(each))) checks[`coPlaced[${index}].${name}`] = good
    checks[`coPlaced[${index}].task`] &&= !before.has(each.task)
    const after: unknown = each.after
    checks[`coPlaced[${index}].after`] =
      Array.isArray(after) && after.length > 0 && after.every((name) => before.get(name) === 'one')
    checks[`coPlaced[${index}].dataIn`] &&= Array.isArray(after) && each.dataIn.length === after.length
    before.set(each.task, each.emits)
  }
  return checks
}

function problemsOf(config: Partial<FunctionConfig>): string[] {
  const checks: Record<string, boolean> = {
    ...checksOf(config),
    workflow: isText(config.workflow),
    concurrency: Number.isInteger(config.concurrency) && Number(config.concurrency) > 0,
    node: isOptionalText(config.node),
    board:
      config.board === undefined ||
      (isText(config.board) && config.runtime === 'nfu' && config.concurrency === 1),
    port:
      config.port === undefined ||
      (Number.isInteger(config.port) && config.port >= 0 && config.port < 65_536),
    token: isOptionalText(config.token),
    leaseSeconds: config.leaseSeconds === undefined || Number(config.leaseSeconds) > 0,
    readyFile: isOptionalText(config.readyFile),
    ...coPlacedChecks(config),
  }
  return Object.entries(checks).flatMap(([name, good]) => (good ? [] : [name]))
}
