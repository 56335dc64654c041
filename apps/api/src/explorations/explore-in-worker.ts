import { Worker } from 'node:worker_threads'
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
  | { type: 'done'; exploration: Exploration }
  | { type: 'failed'; message: string }

/** Beside this file, as source or built. */
function workerFile(): URL {
  const own = import.meta.url
  return new URL(own.endsWith('.ts') ? './exploration.worker.ts' : './exploration.worker.js', own)
}

/** Explores in a worker thread; rejects with a sentence. An abort ends the thread at once. */
export function exploreInWorker(
  task: ExplorationTask,
  signal: AbortSignal,
  onProgress: (fraction: number) => void,
): Promise<Exploration> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(workerFile(), {
      workerData: { task },
      resourceLimits: { maxOldGenerationSizeMb: 1024 },
    })
    const settle = (act: () => void) => {
      signal.removeEventListener('abort', abort)
      act()
      void worker.terminate()
    }
    const abort = () => settle(() => reject(new Error('Cancelled.')))
    signal.addEventListener('abort', abort)
    worker.on('message', (message: ExplorationMessage) => {
      if (message.type === 'progress') onProgress(message.fraction)
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
