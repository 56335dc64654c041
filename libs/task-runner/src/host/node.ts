/** The process that runs JavaScript task code and functional units: it talks to its runner over file descriptor 3. */
import { realpathSync } from 'node:fs'
import { Socket } from 'node:net'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { Worker } from 'node:worker_threads'
import { decodeValue, encodeValue } from '@hivemind/values'
import {
  type Command,
  type FramedInput,
  type FramedValue,
  Frames,
  Payloads,
  type Report,
  receivedValue,
  writeFrame,
} from '../frames.ts'
import { cutLine } from '../log-lines.ts'
import { type Context, pathInBundle, type Run } from './context.ts'
import { State, stateKeyOf } from './state.ts'
import { unitOf } from './unit.ts'
import { isPartitioned, sendable } from './value.ts'
import { moment } from './waiting.ts'

type Load = Extract<Command, { t: 'load' }>
type Invoke = Extract<Command, { t: 'invoke' }>

// User code may never let go of this thread, so another one watches whether anybody still wants its work. A sandbox ends by itself.
if (process.env.HIVEMIND_RUNNER !== undefined)
  new Worker(
    `const parent = Number(process.env.HIVEMIND_RUNNER)
     setInterval(() => { if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL') }, 300)`,
    { eval: true },
  ).unref()

const wire = new Socket({ fd: 3 })
const frames = new Frames<Command>()
let acknowledge: () => void = () => {}
let run: Run = () => null
let loaded: Pick<Load, 'args' | 'outputType' | 'stateful' | 'stateField'> = { args: {}, stateful: false }
let dir = ''

const send = (report: Report, payloads?: Payloads): void => writeFrame(wire, report, payloads?.all)

wire.on('data', (chunk: Buffer) => {
  for (const { message, payloads } of frames.push(chunk)) void obey(message, payloads)
})
wire.on('close', () => process.exit(0))
wire.on('error', () => process.exit(0))

async function obey(command: Command, payloads: Uint8Array[]): Promise<void> {
  if (command.t === 'ack') return acknowledge()
  if (command.t === 'load') return load(command)
  await invoke(command, payloads)
}

async function load(command: Load): Promise<void> {
  dir = realpathSync(command.dir)
  loaded = command
  try {
    run = command.runtime === 'nfu' ? unitOf(command.code) : await userCode(command.code)
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

async function invoke(command: Invoke, payloads: Uint8Array[]): Promise<void> {
  try {
    const inputs = decodeInputs(command.inputs, payloads)
    const state = stateOf(command, payloads, inputs)
    const context: Context = {
      ...(command.context as { device: string }),
      log: (text, level = 'info') => send({ t: 'log', level, text: cutLine(String(text)) }),
      path: (relative) => pathInBundle(dir, relative),
      report: reportDecision,
      state: state.api(),
    }
    // what is not the code's own time: until its items are taken, and, of the rest, until it had a core
    let coreless = 0
    let waited = 0
    const from = moment()
    const emit = async (value: unknown, last = false): Promise<void> => {
      const began = moment()
      const acknowledged = new Promise<void>((resolve) => {
        acknowledge = resolve
      })
      sendItem(value, command.scatterTo, state, last)
      if (!last) await acknowledged
      const taken = moment()
      waited += taken.at - began.at
      coreless += taken.waitedMs - began.waitedMs
    }
    const result = run(inputs, loaded.args, context)
    if (isIterable(result)) for await (const value of result) await emit(value)
    else {
      const value = await result
      if (isIterable(value)) for await (const item of value) await emit(item)
      else await emit(value, true)
    }
    const end = moment()
    const took = end.at - from.at - waited
    const waitedMs = Math.min(took, Math.max(0, end.waitedMs - from.waitedMs - coreless))
    const left = new Payloads()
    const changes = changesOf(state)
    send(
      { t: 'done', executionMs: took - waitedMs, waitedMs, ...(changes && { state: left.bytes(changes) }) },
      left,
    )
  } catch (error) {
    if (error instanceof NotSendable) send({ t: 'failed', kind: 'value', message: error.message, detail: '' })
    else send({ t: 'failed', kind: 'exception', ...describe(error) })
  }
}

/** What cannot travel between tasks; its author is told without a stack. */
class NotSendable extends Error {}

function decodeInputs(inputs: Invoke['inputs'], payloads: Uint8Array[]): Record<string, unknown> {
  const read = (name: string, value: FramedValue): unknown => {
    try {
      return decodeValue(receivedValue(value, payloads))
    } catch (error) {
      throw new NotSendable(`its input '${name}' has ${(error as Error).message}`)
    }
  }
  const readAll = (name: string, input: FramedInput): unknown => {
    if (input === null) return null
    if (!Array.isArray(input)) return read(name, input)
    return input.map(({ device, seq, value }) => ({ device, seq, value: read(name, value) }))
  }
  return Object.fromEntries(Object.entries(inputs).map(([name, input]) => [name, readAll(name, input)]))
}

function stateOf(command: Invoke, payloads: Uint8Array[], inputs: Record<string, unknown>): State {
  const { stateful, stateField } = loaded
  const bytes = command.state === undefined ? undefined : payloads[command.state]
  try {
    return new State(bytes, stateful, stateField === undefined ? undefined : stateKeyOf(inputs, stateField))
  } catch (error) {
    throw new NotSendable((error as Error).message)
  }
}

function sendItem(
  value: unknown,
  scatterTo: readonly string[] | undefined,
  state: State,
  last: boolean,
): void {
  const checked = sendable(value)
  if ('problem' in checked) throw new NotSendable(checked.problem)
  const payloads = new Payloads()
  const add = (each: unknown): FramedValue => payloads.value(encodeValue(each, loaded.outputType))
  const report: Extract<Report, { t: 'item' }> = { t: 'item', value: add(checked.value) }
  if (scatterTo && isPartitioned(checked.value, scatterTo))
    report.parts = Object.fromEntries(
      Object.entries(checked.value).map(([device, part]) => [device, add(part)]),
    )
  if (last) report.last = true
  const changes = changesOf(state)
  if (changes) report.state = payloads.bytes(changes)
  send(report, payloads)
}

function changesOf(state: State): Uint8Array | undefined {
  try {
    return state.changes()
  } catch (error) {
    throw new NotSendable((error as Error).message)
  }
}

function reportDecision(decision: unknown): void {
  const checked = sendable(decision, 'the decision')
  if ('problem' in checked) throw new Error(checked.problem)
  const payloads = new Payloads()
  const { type, bytes } = encodeValue(checked.value)
  // Nothing waits for the decision to be taken, so the code may change its bytes before they are sent.
  const value = payloads.value({ type, bytes: new Uint8Array(bytes) })
  send({ t: 'decision', value }, payloads)
}

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
  const own = [`${pathToFileURL(dir).href}/`, `(${dir}${path.sep}`, ` ${dir}${path.sep}`]
  const stack = (error.stack ?? '')
    .split('\n')
    .filter((line) => !/^\s+at /.test(line) || own.some((start) => line.includes(start)))
    .join('\n')
    .replaceAll(`${pathToFileURL(dir).href}/`, '')
    .replaceAll(dir + path.sep, '')
  return {
    message: error.name === 'Error' ? error.message : `${error.name}: ${error.message}`,
    detail: stack,
  }
}
