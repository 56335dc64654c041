import { Worker } from 'node:worker_threads'
import type { CheckResult } from '@hivemind/dsl'
import type { Estimate } from '@hivemind/swarm'
import { Inject, Injectable } from '@nestjs/common'
import { Places } from '../common/places.ts'
import { impossible } from '../common/problem.ts'
import { CONFIG, type Config } from '../config/config.ts'
import { type CheckWork, type EstimateWork, perform, type Works } from './perform.ts'

/** What is larger gets a thread of its own: its start takes longer than all that is smaller, which is done in milliseconds. */
const SMALL_TEXT = 20_000
/** Tasks times devices. */
const SMALL_MODEL = 60
/** Threads at once; others wait. */
const THREADS = 2
const MEMORY_MB = 1_024
const TOO_LONG: Record<keyof Works, readonly [field: string, sentence: string]> = {
  check: ['text', 'The check of this text takes too long: split the workflow, or shorten the text.'],
  estimate: [
    'placement',
    'The estimate of this placement takes too long: explore it instead, or use fewer devices or items.',
  ],
}

/** Does work whose length depends on what users write, without holding up others. */
@Injectable()
export class ComputingService {
  private readonly places = new Places(THREADS)
  private readonly limitsMs: Config['computingLimitsMs']

  constructor(@Inject(CONFIG) config: Config) {
    this.limitsMs = config.computingLimitsMs
  }

  /** Diagnostics of a text. Throws a 422 when it takes too long. */
  async check(work: CheckWork): Promise<CheckResult> {
    return work.text.length <= SMALL_TEXT ? perform.check(work) : this.apart('check', work)
  }

  /** The estimate of a placement. Throws a 422 when it takes too long. */
  async estimate(work: EstimateWork): Promise<Estimate> {
    const size = work.given.workflow.tasks.length * Math.max(1, work.devices)
    return size <= SMALL_MODEL ? perform.estimate(work) : this.apart('estimate', work)
  }

  private async apart<K extends keyof Works>(kind: K, work: Works[K][0]): Promise<Works[K][1]> {
    const leave = await this.places.take(new AbortController().signal)
    try {
      return await inThread(kind, work, this.limitsMs[kind])
    } finally {
      leave()
    }
  }
}

/** Beside this file, as source or built. */
function workerFile(): URL {
  const own = import.meta.url
  return new URL(own.endsWith('.ts') ? './computing.worker.ts' : './computing.worker.js', own)
}

function inThread<K extends keyof Works>(kind: K, work: Works[K][0], limitMs: number): Promise<Works[K][1]> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(workerFile(), {
      workerData: { kind, work },
      resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
    })
    const settle = (act: () => void): void => {
      clearTimeout(timer)
      act()
      void worker.terminate()
    }
    const [field, sentence] = TOO_LONG[kind]
    const tooLong = (): void => settle(() => reject(impossible(field, sentence)))
    const timer = setTimeout(tooLong, limitMs)
    worker.once('message', (result: Works[K][1]) => settle(() => resolve(result)))
    worker.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? tooLong() : settle(() => reject(error)),
    )
  })
}
