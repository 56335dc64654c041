import { writeFileSync } from 'node:fs'
import path from 'node:path'
import type { FabricEvent, FabricStage } from './events.ts'
import type { GenerateOptions } from './generate.ts'
import { type Command, lines } from './process.ts'

/** Runs the program of a stage in `work`, with its log as events and in a file. Who wants no more of it ends the program. */
export async function* runStage(
  work: string,
  { stage, seed }: { stage: FabricStage; seed?: number },
  command: Command,
  { signal }: GenerateOptions,
): AsyncGenerator<FabricEvent> {
  const ofSeed = seed === undefined ? {} : { seed }
  yield { kind: 'stage', stage, ...ofSeed }
  const what = seed === undefined ? `The stage '${stage}'` : `The stage '${stage}' with seed ${seed}`
  const log: string[] = []
  for await (const line of lines(command, what, signal)) {
    log.push(line)
    yield { kind: 'log', line, ...ofSeed }
  }
  writeFileSync(path.join(work, `${stage.replaceAll(' ', '-')}${seed ?? ''}.log`), `${log.join('\n')}\n`)
}
