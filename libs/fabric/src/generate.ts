import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { FabricCache } from './cache.ts'
import { FabricError } from './error.ts'
import type { FabricEvent } from './events.ts'
import { type HardParameter, type Parameters, resolveParameters } from './parameters.ts'
import { lines } from './process.ts'
import { hashOf, type Toolchain } from './tools.ts'

/** Where a fabric is generated, from what and with what. */
export interface GenerateOptions {
  tools: Toolchain
  cache: FabricCache
  signal?: AbortSignal
}

/** The hard parameters of distil, as the generator exports them. */
export async function* readSchema(options: GenerateOptions): AsyncGenerator<FabricEvent, HardParameter[]> {
  const folder = yield* generated('schema', [], options)
  return JSON.parse(readFileSync(path.join(folder, 'schema.json'), 'utf8')) as HardParameter[]
}

/**
 * Generates the Verilog and the register documents of a fabric; what was generated before from the same sources and
 * parameters is taken from the cache. Returns its folder. Throws `bad-parameters`, `tool-missing`, `stage-failed`, `cancelled`.
 */
export async function* generateFabric(
  settings: Parameters,
  options: GenerateOptions,
): AsyncGenerator<FabricEvent, { folder: string; parameters: Parameters }> {
  const schema = yield* readSchema(options)
  const parameters = resolveParameters(schema, settings)
  const pairs = Object.entries(parameters).map(([name, value]) => `${name}=${value}`)
  return { folder: yield* generated('fabric', pairs, options), parameters }
}

async function* generated(
  what: 'fabric' | 'schema',
  pairs: string[],
  { tools, cache, signal }: GenerateOptions,
): AsyncGenerator<FabricEvent, string> {
  const hash = hashOf([what, ...pairs, tools.generatorHash()])
  return yield* cache.once('generated', hash, async function* (work): AsyncGenerator<FabricEvent> {
    yield { kind: 'stage', stage: 'generate' }
    let refusal: string | undefined
    try {
      for await (const line of lines(tools.generator([what, work, ...pairs]), 'The generator', signal)) {
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
