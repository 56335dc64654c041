/** What a function host is started with: a JSON file, or the same as text in the environment. */
import { readFileSync } from 'node:fs'
import type { FunctionConfig } from '@hivemind/task-runner'

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

function problemsOf(config: Partial<FunctionConfig>): string[] {
  const isText = (value: unknown): boolean => typeof value === 'string' && value !== ''
  const isOptionalText = (value: unknown): boolean => value === undefined || isText(value)
  const checks: Record<string, boolean> = {
    task: isText(config.task),
    workflow: isText(config.workflow),
    runtime: ['node', 'python', 'nfu'].includes(config.runtime ?? ''),
    code: isText(config.code),
    dir: isText(config.dir),
    args: typeof config.args === 'object' && config.args !== null,
    network: config.network === undefined || typeof config.network === 'boolean',
    memoryMB: Number(config.memoryMB) > 0,
    dataIn: Array.isArray(config.dataIn),
    emits: config.emits === 'one' || config.emits === 'many',
    timeoutMs: Number(config.timeoutMs) > 0,
    concurrency: Number.isInteger(config.concurrency) && Number(config.concurrency) > 0,
    node: isOptionalText(config.node),
    stateField: isOptionalText(config.stateField),
    board:
      config.board === undefined ||
      (isText(config.board) && config.runtime === 'nfu' && config.concurrency === 1),
    port:
      config.port === undefined ||
      (Number.isInteger(config.port) && config.port >= 0 && config.port < 65_536),
    token: isOptionalText(config.token),
    leaseSeconds: config.leaseSeconds === undefined || Number(config.leaseSeconds) > 0,
    readyFile: isOptionalText(config.readyFile),
  }
  return Object.entries(checks).flatMap(([name, good]) => (good ? [] : [name]))
}
