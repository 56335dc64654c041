import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { FabricCache } from './cache.ts'
import { FabricError } from './error.ts'
import type { FabricEvent } from './events.ts'
import { enginesOf, type Parameters, resolveParameters, type Schema } from './parameters.ts'
import { lines } from './process.ts'
import { hashOf, type Toolchain } from './tools.ts'

/** Where a fabric is generated, from what and with what. */
export interface GenerateOptions {
  tools: Toolchain
  cache: FabricCache
  signal?: AbortSignal
}

/** The hard parameters of all engines, as the generator exports them. */
export async function* readSchema(options: GenerateOptions): AsyncGenerator<FabricEvent, Schema> {
  const folder = yield* generated(['schema'], [], options)
  return JSON.parse(readFileSync(path.join(folder, 'schema.json'), 'utf8')) as Schema
}

/** A fabric: its engines, as `enginesOf` reads them (`distil` when left out), and its settings. */
export interface FabricRequest {
  engines?: string
  parameters?: Parameters
}

/** What has been generated. */
export interface Generated {
  folder: string
  engines: string[]
  /** Of the engines and the shell, with defaults. */
  parameters: Parameters
}

/**
 * Generates the Verilog and the register documents of a fabric; what was generated before from the same sources and
 * parameters is taken from the cache. Throws `bad-parameters`, `tool-missing`, `stage-failed`, `cancelled`.
 */
export async function* generateFabric(
  { engines: text = 'distil', parameters: settings = {} }: FabricRequest,
  options: GenerateOptions,
): AsyncGenerator<FabricEvent, Generated> {
  const schema = yield* readSchema(options)
  const engines = enginesOf(schema, text)
  const parameters = resolveParameters(schema, engines, settings)
  const pairs = Object.entries(parameters).map(([name, value]) => `${name}=${value}`)
  const folder = yield* generated(['fabric', engines.join('+')], pairs, options)
  return { folder, engines, parameters }
}

async function* generated(
  what: readonly string[],
  pairs: string[],
  { tools, cache, signal }: GenerateOptions,
): AsyncGenerator<FabricEvent, string> {
  const hash = hashOf([...what, ...pairs, tools.generatorHash()])
  return yield* cache.once('generated', hash, async function* (work): AsyncGenerator<FabricEvent> {
    yield { kind: 'stage', stage: 'generate' }
    let refusal: string | undefined
    try {
      for await (const line of lines(tools.generator([...what, work, ...pairs]), 'The generator', signal)) {
        refusal ??= /requirement failed: (.+)/.exec(line)?.[1]
        yield { kind: 'log', line }
      }
    } catch (error) {
      if (refusal && error instanceof FabricError && error.code === 'stage-failed')
        throw new FabricError('bad-parameters', `${refusal}.`)
      throw error
    }
  })
}
