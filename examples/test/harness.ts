/**
 * Runs the task functions of an example in process, as docs/task-code.md says they are called, without placement,
 * transport or task processes. Enough for the examples: root tasks, streams, `'all'` barriers, scatter and network functions.
 */
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { check } from '@hivemind/dsl'
import { createOp, parseNfu } from '@hivemind/nfu'
import { type Scope, scopesOf, type Task, topologicalOrder, type Workflow } from '@hivemind/workflow'

export interface Item {
  device: string
  seq: number
  value: unknown
}

interface Invocation {
  inputs: Record<string, unknown>
  context: {
    task: string
    device: string
    deviceIndex: number
    devices: string[]
    seq: number
    maxItems: number | null
  }
}

export interface Options {
  devices: number
  maxItems?: number
  /** Replaces task arguments. */
  args?: Record<string, Record<string, unknown>>
}

/** What a run gave: everything each task wrote, by task name. */
export type Outputs = Map<string, Item[]>

/** The single value a task wrote in the whole run; throws when it wrote none or several. */
export function only<T>(outputs: Outputs, task: string): T {
  const items = outputs.get(task) ?? []
  if (items.length !== 1 || !items[0]) throw new Error(`${task} wrote ${items.length} values, not one.`)
  return items[0].value as T
}

const here = new URL('../', import.meta.url)

/** Path of a file of an example. */
export const exampleFile = (example: string, file: string): string =>
  fileURLToPath(new URL(`${example}/${file}`, here))

export function readJson(example: string, file: string): unknown {
  return JSON.parse(readFileSync(exampleFile(example, file), 'utf8'))
}

/** The workflow of an example; throws when the language finds any fault in it. */
export function readWorkflow(example: string): Workflow {
  const files = new Set(readdirSync(exampleFile(example, ''), { recursive: true }).map(String))
  const text = readFileSync(exampleFile(example, `${path.basename(example)}.hive.py`), 'utf8')
  const { workflow, diagnostics } = check(text, { fileExists: (path) => files.has(path) })
  const faults = diagnostics.filter(({ severity }) => severity !== 'hint')
  if (!workflow || faults.length > 0)
    throw new Error(`${example}: ${faults.map(({ line, message }) => `line ${line}: ${message}`).join('\n')}`)
  return workflow
}

/** Runs all tasks of an example on the inputs of its `inputs.json`. */
export async function runExample(example: string, options: Options): Promise<Outputs> {
  const workflow = readWorkflow(example)
  const scopes = scopesOf(workflow)
  const inputs = readJson(example, 'inputs.json') as Record<string, unknown>
  const outputs: Outputs = new Map()
  for (const task of topologicalOrder(workflow)) {
    const calls = invocationsOf(task, workflow, scopes, outputs, inputs, options)
    const args = { ...task.args, ...options.args?.[task.name] }
    const run = task.code.startsWith('nfu:')
      ? runFunction
      : task.code.endsWith('.py')
        ? runPython
        : runJavaScript
    outputs.set(task.name, await run(example, task.code, args, calls))
  }
  return outputs
}

function invocationsOf(
  task: Task,
  workflow: Workflow,
  scopes: ReadonlyMap<string, Scope>,
  outputs: Outputs,
  runInputs: Record<string, unknown>,
  { devices, maxItems }: Options,
): Invocation[] {
  const names = Array.from({ length: devices }, (_, index) => `device-${index + 1}`)
  const call = (device: string, seq: number, inputs: Record<string, unknown>): Invocation => ({
    inputs,
    context: {
      task: task.name,
      device,
      deviceIndex: names.indexOf(device),
      devices: names,
      seq,
      maxItems: maxItems ?? null,
    },
  })
  const parents = workflow.tasks.filter(({ name }) => task.parents.includes(name))
  const given = parents.map((parent) => ({ data: parent.dataOut, items: outputs.get(parent.name) ?? [] }))
  if (task.directives.synchronize) {
    const lists = given.map(({ data, items }) => [data, [...items].sort(byDevice(names))])
    return [call('*', 0, Object.fromEntries(lists))]
  }
  const places = scopes.get(task.name) === 'swarm' ? ['*'] : names
  if (parents.length === 0) {
    const inputs = Object.fromEntries(task.dataIn.map((data) => [data, runInputs[data] ?? null]))
    return places.map((device) => call(device, 0, inputs))
  }
  const [first, ...rest] = given
  if (!first || rest.length > 0)
    throw new Error(`The harness does not join several parents (task '${task.name}').`)
  const items = scopes.get(task.name) === 'scatter' ? first.items.flatMap(scattered(names)) : first.items
  return items.map(({ device, seq, value }) =>
    call(device, seq, first.data !== null && task.dataIn.includes(first.data) ? { [first.data]: value } : {}),
  )
}

/** What each device gets of a result of the swarm: its part of a map keyed by device names, else all of it. */
function scattered(names: string[]): (item: Item) => Item[] {
  return ({ seq, value }) => {
    const isMap = typeof value === 'object' && value !== null && !Array.isArray(value)
    const parts = isMap ? (value as Record<string, unknown>) : {}
    if (isMap && Object.keys(parts).every((key) => names.includes(key)))
      return Object.entries(parts).map(([device, part]) => ({ device, seq, value: part }))
    return names.map((device) => ({ device, seq, value }))
  }
}

const byDevice = (names: string[]) => (a: Item, b: Item) =>
  names.indexOf(a.device) - names.indexOf(b.device) || a.seq - b.seq

async function runJavaScript(
  example: string,
  code: string,
  args: Record<string, unknown>,
  calls: Invocation[],
): Promise<Item[]> {
  const { run } = (await import(new URL(`${example}/${code}`, here).href)) as {
    run(inputs: unknown, args: unknown, context: unknown): unknown
  }
  const items: Item[] = []
  for (const { inputs, context } of calls) {
    const path = (file: string) => exampleFile(example, file)
    const result = await run(inputs, args, { ...context, run: 'test', log: () => {}, path })
    const { device } = context
    if (!isStream(result)) items.push({ device, seq: context.seq, value: result })
    else {
      let seq = 0
      for await (const value of result) items.push({ device, seq: seq++, value })
    }
  }
  return items
}

/** A network function: one unit for each device, which keeps its state between items. */
async function runFunction(
  _example: string,
  code: string,
  _args: Record<string, unknown>,
  calls: Invocation[],
): Promise<Item[]> {
  const units = new Map<string, ReturnType<typeof createOp>>()
  return calls.flatMap(({ inputs, context: { device, seq } }) => {
    const unit = units.get(device) ?? createOp(parseNfu(code))
    units.set(device, unit)
    return unit(Object.values(inputs)[0]).map((value) => ({ device, seq, value }))
  })
}

function isStream(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' &&
    value !== null &&
    (Symbol.asyncIterator in value || Symbol.iterator in value)
    ? 'next' in value
    : false
}

/** Calls a Python task in one process for all invocations; its values must be what JSON can hold. */
const PYTHON_HOST = `
import importlib.util, json, os, sys, types
sys.dont_write_bytecode = True
spec = importlib.util.spec_from_file_location('task', sys.argv[1])
task = importlib.util.module_from_spec(spec)
spec.loader.exec_module(task)
request = json.load(sys.stdin)
results = []
for call in request['calls']:
    context = types.SimpleNamespace(**call['context'], run='test', log=lambda text, level='info': None,
                                    path=lambda file: os.path.join(sys.argv[2], file))
    results.append(task.run(call['inputs'], request['args'], context))
json.dump(results, sys.stdout)
`

async function runPython(
  example: string,
  code: string,
  args: Record<string, unknown>,
  calls: Invocation[],
): Promise<Item[]> {
  const done = spawnSync(
    'python3',
    ['-c', PYTHON_HOST, exampleFile(example, code), exampleFile(example, '')],
    {
      input: JSON.stringify({ args, calls }),
      encoding: 'utf8',
      maxBuffer: 64e6,
    },
  )
  if (done.status !== 0) throw new Error(`${code} failed: ${done.error?.message ?? done.stderr}`)
  const values = JSON.parse(done.stdout) as unknown[]
  return calls.map(({ context }, index) => ({
    device: context.device,
    seq: context.seq,
    value: values[index],
  }))
}
