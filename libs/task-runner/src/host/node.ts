/** The process that runs JavaScript task code and functional units: it talks to its runner over file descriptor 3. */
import { realpathSync } from 'node:fs'
import { Socket } from 'node:net'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { Worker } from 'node:worker_threads'
import { createOp, parseNfu } from '@hivemind/nfu'
import { type Command, Frames, frame, type Report } from '../frames.ts'
import { sendable } from './value.ts'
import { waitedForCore } from './waiting.ts'

type Run = (inputs: unknown, args: unknown, context: unknown) => unknown

// User code may never let go of this thread, so another one watches whether anybody still wants its work.
new Worker(
  `const parent = Number(process.env.HIVEMIND_RUNNER)
   setInterval(() => { if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL') }, 300)`,
  { eval: true },
).unref()

const wire = new Socket({ fd: 3 })
const frames = new Frames<Command>()
let acknowledge: () => void = () => {}
let run: Run = () => null
let args: Record<string, unknown> = {}
let dir = ''

const send = (report: Report): void => void wire.write(frame(report))

wire.on('data', (chunk: Buffer) => {
  for (const command of frames.push(chunk)) void obey(command)
})
wire.on('close', () => process.exit(0))
wire.on('error', () => process.exit(0))

async function obey(command: Command): Promise<void> {
  if (command.t === 'ack') return acknowledge()
  if (command.t === 'load') return load(command)
  await invoke(command)
}

async function load(command: Extract<Command, { t: 'load' }>): Promise<void> {
  dir = realpathSync(command.dir)
  args = command.args
  try {
    run = command.runtime === 'nfu' ? unit(command.code) : await userCode(command.code)
    send({ t: 'loaded' })
  } catch (error) {
    const { message, detail } = describe(error)
    send({ t: 'failed', kind: 'load', message: `'${command.code}' cannot be loaded: ${message}`, detail })
  }
}

async function userCode(code: string): Promise<Run> {
  const module = (await import(pathToFileURL(path.join(dir, code)).href)) as {
    run?: unknown
    default?: unknown
  }
  const found = module.run ?? (module.default as { run?: unknown } | undefined)?.run
  if (typeof found === 'function') return found as Run
  throw new Error(
    'it exports no function named run. Write: export function run(inputs, args, context) { ... }',
  )
}

/** A functional unit as task code: one state for each device, fed the task's only input. */
function unit(code: string): Run {
  const nfu = parseNfu(code)
  const units = new Map<string, ReturnType<typeof createOp>>()
  return function* (inputs, _, context) {
    const { device } = context as { device: string }
    const op = units.get(device) ?? createOp(nfu)
    units.set(device, op)
    const value = Object.values(inputs as Record<string, unknown>)[0]
    const collected =
      device === '*' && Array.isArray(value) ? value.map((item: { value: unknown }) => item.value) : [value]
    const outputs = collected.flatMap((item) => op(item))
    yield* device === '*' ? outputs.slice(-1) : outputs
  }
}

/** The absolute path of a file of the bundle. */
function inBundle(relative: string): string {
  const full = path.resolve(dir, relative)
  const real = (() => {
    try {
      return realpathSync(full)
    } catch {
      return full
    }
  })()
  for (const place of [full, real])
    if (place !== dir && !place.startsWith(dir + path.sep))
      throw new Error(`The path '${relative}' leaves the project; a task may only use its own files.`)
  return full
}

async function invoke({ inputs, context }: Extract<Command, { t: 'invoke' }>): Promise<void> {
  const whole = {
    ...context,
    log: (text: unknown, level = 'info') => send({ t: 'log', level, text: String(text) }),
    path: inBundle,
  }
  // what is not the code's own time: until its items are taken, and, of the rest, until it had a core
  let coreless = waitedForCore()
  const from = performance.now()
  let waited = 0
  const emit = async (value: unknown): Promise<void> => {
    const checked = sendable(value)
    if ('problem' in checked) throw new NotSendable(checked.problem)
    const began = performance.now()
    const before = waitedForCore()
    const acknowledged = new Promise<void>((resolve) => {
      acknowledge = resolve
    })
    send({ t: 'item', value: checked.value })
    await acknowledged
    waited += performance.now() - began
    coreless += waitedForCore() - before
  }
  try {
    const result = run(inputs, args, whole)
    if (isIterable(result)) for await (const value of result) await emit(value)
    else {
      const value = await result
      if (isIterable(value)) for await (const item of value) await emit(item)
      else await emit(value)
    }
    const took = performance.now() - from - waited
    const waitedMs = Math.min(took, Math.max(0, waitedForCore() - coreless))
    send({ t: 'done', executionMs: took - waitedMs, waitedMs })
  } catch (error) {
    if (error instanceof NotSendable) send({ t: 'failed', kind: 'value', message: error.message, detail: '' })
    else send({ t: 'failed', kind: 'exception', ...describe(error) })
  }
}

class NotSendable extends Error {}

/** Generators only: a list or text that is returned is one value. */
function isIterable(value: unknown): value is AsyncIterable<unknown> {
  if (typeof value !== 'object' || value === null) return false
  return (
    typeof (value as { next?: unknown }).next === 'function' &&
    (Symbol.asyncIterator in value || Symbol.iterator in value)
  )
}

/** An error in its author's terms: only lines of their code, with paths as in the project. */
function describe(error: unknown): { message: string; detail: string } {
  if (!(error instanceof Error)) return { message: String(error), detail: '' }
  const stack = (error.stack ?? '')
    .split('\n')
    .filter((line) => !/^\s+at /.test(line) || line.includes(dir))
    .join('\n')
    .replaceAll(`${pathToFileURL(dir).href}/`, '')
    .replaceAll(dir + path.sep, '')
  return {
    message: error.name === 'Error' ? error.message : `${error.name}: ${error.message}`,
    detail: stack,
  }
}
