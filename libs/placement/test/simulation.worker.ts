/** A thread for tests: simulates, or dies when it is told to. */
import { parentPort, workerData } from 'node:worker_threads'
import { simulationThread } from '../src/simulators.ts'

if ((workerData as { dies: boolean }).dies) throw new Error('no more room')
parentPort?.on(
  'message',
  simulationThread((answer) => parentPort?.postMessage(answer)),
)
