import { readdir, readFile, stat } from 'node:fs/promises'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import type { DataFlowGraph, GraphBinding, Lambda, Store } from '@hivemind/store'
import type { Command } from 'commander'
import { z } from 'zod'
import { otherFault, usageFault, workflowFault } from '../failure.ts'
import { untilInterrupted } from '../interrupt.ts'
import { answer, answerJson, say, table } from '../output.ts'

interface RunOptions {
  lambdas: string
  redis?: string
  folder?: string
  input?: string
  put?: boolean
  json?: boolean
}

/** A line of the file of `--input`. */
const Input = z.strictObject({
  key: z.string(),
  type: z.string().optional(),
  text: z.string().optional(),
  bytes: z.base64().optional(),
})

const ENDS = ['.ts', '.mts', '.mjs', '.js']

const EXAMPLES = `
Examples:
  hivemind store graph check dataflow.json
  hivemind store graph run dataflow.json --lambdas lambdas --redis redis://127.0.0.1:6379
  hivemind store graph run dataflow.json --lambdas lambdas --folder data --input objects.jsonl`

/** `hivemind store graph`: data-flow graphs, checked and run. */
export function addGraph(group: Command): void {
  const graph = group
    .command('graph')
    .description('check a data-flow graph, or run one with lambdas from a folder')
    .addHelpText('after', EXAMPLES)

  graph
    .command('check')
    .description('read the file of a graph, and say what is wrong and where')
    .argument('<file>', 'such as dataflow.json')
    .option('--json', 'print the problems as JSON')
    .action(async (file: string, { json }: { json?: boolean }) => {
      const { problems, parsed } = await read(file)
      if (json) answerJson({ ok: parsed !== null, problems })
      if (!parsed) throw workflowFault(`${file} cannot be bound:\n${lines(problems)}`)
      const lambdas = parsed.graph.reduce((sum, vertex) => sum + vertex.lambdas.length, 0)
      if (!json) say(`${file} is fine: ${lambdas} lambdas at ${parsed.graph.length} paths.`)
    })

  graph
    .command('run')
    .description(
      'bind a graph, each lambda in processes of its own, until it is interrupted or has handled --input',
    )
    .argument('<file>', 'such as dataflow.json')
    .requiredOption('--lambdas <folder>', `code of each lambda: ID${ENDS.join(', ID')}, its default export`)
    .option('--redis <url>', 'the store on this Redis server or cluster')
    .option('--folder <folder>', 'an embedded store in this folder')
    .option(
      '--input <file>',
      'lines of JSON such as {"key": "/a/1", "text": "hello"}: trigger puts; then it ends',
    )
    .option('--put', 'puts what --input has instead')
    .option('--json', 'print the counts as JSON')
    .action(run)
}

async function run(file: string, options: RunOptions): Promise<void> {
  const { problems, parsed } = await read(file)
  if (!parsed) throw workflowFault(`${file} cannot be bound:\n${lines(problems)}`)
  const lambdas = await lambdasIn(options.lambdas, parsed)
  const inputs = options.input === undefined ? null : await inputsIn(options.input)
  const { bindGraph, StoreError } = await import('@hivemind/store')
  const store = await open(options)
  try {
    const bound = await bindGraph(store, parsed, lambdas, {
      onError: ({ message }, { key }, { id }) => say(`${id} failed for ${key}: ${message}`),
    })
    if (inputs) await feed(store, bound, inputs, options)
    else {
      say(`${file} is bound. Ctrl-C ends it.`)
      await untilInterrupted(async (signal) => {
        await new Promise((resolve) => signal.addEventListener('abort', resolve))
        await bound.close()
      })
    }
  } catch (error) {
    throw error instanceof StoreError ? otherFault(error.message) : error
  } finally {
    await store.close()
  }
}

/** Gives a graph its input, and prints what became of it. */
async function feed(
  store: Store,
  bound: GraphBinding,
  inputs: readonly z.output<typeof Input>[],
  { put, json }: RunOptions,
): Promise<void> {
  for (const { key, type, text, bytes } of inputs) {
    const value =
      text === undefined
        ? { type: type ?? 'application/octet-stream', bytes: Buffer.from(bytes ?? '', 'base64') }
        : { type: type ?? 'text/plain', bytes: Buffer.from(text) }
    await (put ? store.put(key, value) : store.triggerPut(key, value))
  }
  await bound.drained()
  const counts = await bound.statistics()
  await bound.close()
  if (json) answerJson(counts)
  else
    answer(
      table([
        ['path', 'lambda', 'done', 'failed', 'dropped'],
        ...counts.map(({ pathname, id, done, failed, dropped }) => [
          pathname,
          id,
          ...[done, failed, dropped].map(String),
        ]),
      ]),
    )
}

async function read(file: string): Promise<{ parsed: DataFlowGraph | null; problems: readonly string[] }> {
  const { GraphError, parseGraph } = await import('@hivemind/store')
  const text = await readFile(file, 'utf8')
  try {
    return { parsed: parseGraph(text, file), problems: [] }
  } catch (error) {
    if (error instanceof GraphError) return { parsed: null, problems: error.problems }
    throw error
  }
}

/** The code of each lambda of a graph that a folder has. */
async function lambdasIn(folder: string, graph: DataFlowGraph): Promise<Record<string, Lambda>> {
  if (!(await stat(folder).catch(() => null))?.isDirectory())
    throw usageFault(
      `--lambdas is '${folder}', which is no folder: name the one with the code of the lambdas.`,
    )
  const files = await readdir(folder)
  const ids = new Set(graph.graph.flatMap(({ lambdas }) => lambdas.map(({ id }) => id)))
  return Object.fromEntries(
    [...ids].map((id) => {
      const name = ENDS.map((end) => `${id}${end}`).find((candidate) => files.includes(candidate))
      if (name === undefined)
        throw usageFault(`${folder} has no code of the lambda '${id}': add ${id}.mjs with a default export.`)
      const module = pathToFileURL(path.resolve(folder, name)).href
      return [id, { module, isolation: 'process' as const }]
    }),
  )
}

async function inputsIn(file: string): Promise<z.output<typeof Input>[]> {
  const text = await readFile(file, 'utf8')
  return text.split('\n').flatMap((line, index) => {
    if (line.trim() === '') return []
    try {
      return [Input.parse(JSON.parse(line))]
    } catch {
      throw usageFault(
        `Line ${index + 1} of ${file} is no input: write {"key": "/a/1", "text": "hello"}, or bytes in base64.`,
      )
    }
  })
}

async function open({ redis, folder }: RunOptions): Promise<Store> {
  if ((redis === undefined) === (folder === undefined))
    throw usageFault(
      'Name one store: --redis URL for one that others share, or --folder FOLDER for one of this command.',
    )
  const { openEmbeddedStore, openRedisStore, StoreError } = await import('@hivemind/store')
  const opening =
    redis === undefined ? openEmbeddedStore({ folder: folder as string }) : openRedisStore({ url: redis })
  return opening.catch((error) => {
    throw error instanceof StoreError ? otherFault(error.message) : error
  })
}

const lines = (problems: readonly string[]): string => problems.map((problem) => `- ${problem}`).join('\n')
