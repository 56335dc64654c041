/** Does one piece of work in a thread of its own, so that the service goes on answering. */
import { parentPort, workerData } from 'node:worker_threads'
import { perform, type Works } from './perform.ts'

const { kind, work } = workerData as { kind: keyof Works; work: never }
parentPort?.postMessage(await perform[kind](work))
