/** Simulates candidates for `explore` in a thread of its own. */
import { parentPort } from 'node:worker_threads'
import { simulationThread } from '@hivemind/placement'

parentPort?.on(
  'message',
  simulationThread((answer) => parentPort?.postMessage(answer)),
)
