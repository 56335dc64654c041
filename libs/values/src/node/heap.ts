/** The heap of a process through which many large values pass. */
import { setFlagsFromString } from 'node:v8'

/** The V8 that has the flag as an option; others print a line about a flag that they do not know. */
const V8_WITH_FLAG = /^13\.6\./

/**
 * Counts the bytes of buffers as part of the heap's limit. V8 otherwise starts a full collection, whose cost grows with
 * all that lives, for every 8 to 64 MB of buffers, however short they live: with items of 100 kB a third of all CPU.
 */
export function countBuffersAsHeap(): void {
  if (V8_WITH_FLAG.test(process.versions.v8))
    setFlagsFromString('--external-memory-accounted-in-global-limit')
}
