/** Explores in a thread of its own, so that the service goes on answering. */
import { parentPort, workerData } from 'node:worker_threads'
import { explore } from '@hivemind/placement'
import type { ExplorationMessage, ExplorationTask } from './explore-in-worker.ts'

const send = (message: ExplorationMessage) => parentPort?.postMessage(message)
const { task } = workerData as { task: ExplorationTask }

try {
  const exploration = await explore({
    ...task,
    onProgress: (fraction) => send({ type: 'progress', fraction }),
  })
  send({ type: 'done', exploration })
} catch (error) {
  send({ type: 'failed', message: error instanceof Error ? error.message : String(error) })
}
