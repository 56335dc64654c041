/** A thread that simulates sets of inputs. */
import { parentPort } from 'node:worker_threads'
import { type InputSet, rowsOf } from './sets.ts'
import type { Known } from './systems.ts'

const known: Known = new Map()
parentPort?.on('message', async ({ index, set }: { index: number; set: InputSet }) => {
  parentPort?.postMessage({ index, rows: await rowsOf(set, known) })
})
