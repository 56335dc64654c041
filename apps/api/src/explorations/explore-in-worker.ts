import { Worker } from 'node:worker_threads'
import type { FrontSoFar } from '@hivemind/placement'
import type { Exploration, Fleet, Profile } from '@hivemind/swarm'
import type { Workflow } from '@hivemind/workflow'

export interface ExplorationTask {
  workflow: Workflow
  fleet: Fleet
  profile?: Profile
  itemsPerDevice?: number
  seed: number
}

export type ExplorationMessage =
  | { type: 'progress'; fraction: number }
  | { type: 'front'; soFar: FrontSoFar }
  | { type: 'done'; exploration: Exploration }
  | { type: 'failed'; message: string }

/** Beside this file, as source or built. */
export function workerFile(name: 'exploration' | 'simulation'): URL {
  const own = import.meta.url
  return new URL(own.endsWith('.ts') ? `./${name}.worker.ts` : `./${name}.worker.js`, own)
}

export interface ExplorationControl {
  /** Ends the thread at once, and those it has started; what was simulated is lost. */
  signal: AbortSignal
  /** Asks for the candidates simulated so far. */
  finish: AbortSignal
  onProgress: (fraction: number) => void
  onFront: (soFar: FrontSoFar) => void
}

/** Explores in a worker thread; rejects with a sentence. */
export function exploreInWorker(
  task: ExplorationTask,
  { signal, finish, onProgress, onFront }: ExplorationControl,
): Promise<Exploration> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(workerFile('exploration'), {
      workerData: { task },
      resourceLimits: { maxOldGenerationSizeMb: 1024 },
    })
    const settle = (act: () => void) => {
      signal.removeEventListener('abort', abort)
      finish.removeEventListener('abort', ask)
      act()
      void worker.terminate()
    }
    const abort = () => settle(() => reject(new Error('Cancelled.')))
    signal.addEventListener('abort', abort)
    const ask = () => worker.postMessage('finish')
    finish.addEventListener('abort', ask)
    if (finish.aborted) ask()
    worker.on('message', (message: ExplorationMessage) => {
      if (message.type === 'progress') onProgress(message.fraction)
      else if (message.type === 'front') onFront(message.soFar)
      else if (message.type === 'done') settle(() => resolve(message.exploration))
      else settle(() => reject(new Error(message.message)))
    })
    worker.on('error', (error: NodeJS.ErrnoException) =>
      settle(() =>
        reject(
          error.code === 'ERR_WORKER_OUT_OF_MEMORY'
            ? new Error(
                'The exploration needs more memory than the 1 GB it may use: pin some tasks with Place.',
              )
            : error,
        ),
      ),
    )
    worker.on('exit', () => settle(() => reject(new Error('The exploration ended without an answer.'))))
  })
}
