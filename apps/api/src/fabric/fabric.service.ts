import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import path from 'node:path'
import {
  type Build,
  buildFabric,
  defaultJobs,
  FabricCache,
  FabricError,
  readSchema,
  readVerdict,
  signerOfBuild,
  Toolchain,
} from '@hivemind/fabric'
import { Inject, Injectable } from '@nestjs/common'
import type { AnswerOf, BodyOf } from '../common/contract.ts'
import { notFound } from '../common/problem.ts'
import { CONFIG, type Config } from '../config/config.ts'
import type { Noun } from '../database/tables.ts'
import type { JobContext, JobKind } from '../jobs/job-kind.ts'
import { JobsService } from '../jobs/jobs.service.ts'
import { BuildProgress } from './build-progress.ts'
import { answered } from './fabric-problem.ts'

type Request = BodyOf<'startFabricBuild'>
type FabricBuild = AnswerOf<'getFabricBuild'>
type FabricParameters = AnswerOf<'listFabricParameters'>
interface Result {
  /** The id of the build. */
  build: string
  isTimingMet: boolean
}

/** The key that signed a build; none where the signature is wrong, which a load says. */
function fingerprintOf(build: Build): string | undefined {
  try {
    return signerOfBuild(build)?.fingerprint
  } catch (error) {
    if (error instanceof FabricError) return undefined
    throw error
  }
}

const BITSTREAMS = { 'fabric.bit': 'application/octet-stream', 'fabric.svf': 'text/plain' }

/** Bitstreams, built as jobs one after another, their seeds at once; they are kept where `hivemind fabric` keeps its own. */
@Injectable()
export class FabricService {
  private readonly jobs: JobsService
  private readonly tools: Toolchain
  private readonly cache: FabricCache
  private readonly kind: JobKind<Request, Result>

  constructor(@Inject(CONFIG) config: Config, jobs: JobsService) {
    this.jobs = jobs
    this.tools = new Toolchain(config.fabric?.project)
    this.cache = new FabricCache(config.fabric?.builds)
    this.kind = { name: 'fabric', noun: 'bitstream', run: (request, job) => this.build(request, job) }
    jobs.register(this.kind)
  }

  list(): FabricBuild[] {
    return this.cache.builds().map((build) => this.record(build))
  }

  /** The hard parameters. The first call runs the generator, further ones read what it has written. */
  async parameters(): Promise<FabricParameters> {
    const events = readSchema({ tools: this.tools, cache: this.cache })
    return answered(async () => {
      for (;;) {
        const { done, value } = await events.next()
        if (done)
          return Object.entries(value).flatMap(([engine, parameters]) =>
            parameters.map((parameter) => ({ engine, ...parameter })),
          )
      }
    })
  }

  get(id: string): FabricBuild {
    return this.record(this.find(id))
  }

  /** Content of a file that the manifest of a build names. */
  file(id: string, name: string): Buffer {
    const { folder, manifest } = this.find(id)
    if (!Object.hasOwn(manifest.files, name)) throw notFound('file of this bitstream', name)
    return readFileSync(path.join(folder, name))
  }

  floorplan(id: string): AnswerOf<'getFabricFloorplan'> {
    return JSON.parse(this.file(id, 'floorplan.json').toString('utf8'))
  }

  private record(build: Build): FabricBuild {
    const { manifest } = build
    const verdict = readVerdict(this.cache, manifest.generator)
    const signedBy = fingerprintOf(build)
    return { ...manifest, ...(verdict && { verdict }), ...(signedBy && { signedBy }) }
  }

  private find(id: string): Build {
    try {
      return this.cache.find(id)
    } catch (error) {
      if (error instanceof FabricError && error.code === 'not-found') throw notFound('bitstream', id)
      throw error
    }
  }

  async start(request: Request): Promise<Noun<'JobRecord'>> {
    const { id } = await this.jobs.start(this.kind, request)
    return this.jobs.record(id)
  }

  private async build({ engines, parameters, seeds, sweep }: Request, job: JobContext): Promise<Result> {
    const request = {
      engines: engines.join('+'),
      parameters,
      seeds: Array.from({ length: seeds }, (_, n) => n + 1),
      sweep,
    }
    // a core is left for those who use the service
    const jobs = Math.max(1, Math.min(defaultJobs(), availableParallelism() - 1))
    const options = { tools: this.tools, cache: this.cache, signal: job.signal, jobs }
    const progress = new BuildProgress(seeds)
    for await (const event of buildFabric(request, options)) {
      if (event.kind === 'log')
        job.log(event.seed === undefined ? event.line : `seed ${event.seed}: ${event.line}`)
      else if (event.kind !== 'available') {
        progress.add(event)
        if (event.kind === 'stage') job.stage(progress.stage)
        if (event.kind === 'given up') job.log(`Seed ${event.seed} was given up: ${event.problem}.`, 'warn')
        job.progress(progress.fraction, progress.message)
      } else {
        const { folder, manifest } = event
        for (const [name, type] of Object.entries(BITSTREAMS))
          await job.artefact(name, readFileSync(path.join(folder, name)), type)
        job.log(
          manifest.isTimingMet ? 'Timing met.' : 'Timing not met.',
          manifest.isTimingMet ? 'info' : 'warn',
        )
        return { build: manifest.id, isTimingMet: manifest.isTimingMet }
      }
    }
    throw new Error('The build ended without a result.')
  }
}
