/** Explores in a thread of its own, and simulates in further ones, so that the service goes on answering. */
import { availableParallelism } from 'node:os'
import { parentPort, Worker, workerData } from 'node:worker_threads'
import { explore, type FrontSoFar, nodeThreads, simulateInThreads } from '@hivemind/placement'
import { type ExplorationMessage, type ExplorationTask, workerFile } from './explore-in-worker.ts'

/** Points of the front so far that are worth showing. */
const MOST_SHOWN = 60
/** Often enough for a picture that grows, in ms. */
const SHOW_EVERY_MS = 250

const send = (message: ExplorationMessage) => parentPort?.postMessage(message)
const { task } = workerData as { task: ExplorationTask }
const finish = new AbortController()
parentPort?.on('message', () => finish.abort())

let shownAt = 0
/** Without what only a whole answer is asked for: each task's part may be most of it. */
function show({ front, done, of }: FrontSoFar): void {
  if (Date.now() - shownAt < SHOW_EVERY_MS && done < of) return
  shownAt = Date.now()
  const every = Math.ceil(front.length / MOST_SHOWN)
  const shown = front
    .filter((_, at) => at % every === 0)
    .map((candidate) => ({ ...candidate, placement: {}, estimate: { ...candidate.estimate, perTask: {} } }))
  send({ type: 'front', soFar: { front: shown, done, of } })
}

const simulators = simulateInThreads(
  nodeThreads(
    () => new Worker(workerFile('simulation'), { resourceLimits: { maxOldGenerationSizeMb: 1024 } }),
  ),
  availableParallelism(),
)
try {
  const exploration = await explore({
    ...task,
    simulators,
    finish: finish.signal,
    onProgress: (fraction) => send({ type: 'progress', fraction }),
    onFront: show,
  })
  send({ type: 'done', exploration })
} catch (error) {
  send({ type: 'failed', message: error instanceof Error ? error.message : String(error) })
}
