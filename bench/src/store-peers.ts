/** The other side of the pairs of the store bench: a lambda, a worker that echoes, a process that echoes. */
import net from 'node:net'
import { isMainThread, workerData } from 'node:worker_threads'

/** A lambda that does nothing. */
export function nothing(): void {}

const [file] = process.argv.slice(2)
if (!isMainThread && workerData instanceof SharedArrayBuffer) {
  const flags = new Int32Array(workerData, 0, 2)
  const bytes = new Uint8Array(workerData, 8)
  for (;;) {
    Atomics.wait(flags, 0, 0)
    Atomics.store(flags, 0, 0)
    // As a reader would have it.
    bytes.slice()
    Atomics.store(flags, 1, 1)
    Atomics.notify(flags, 1)
  }
} else if (file?.endsWith('echo.sock'))
  net.createServer((socket) => socket.pipe(socket)).listen(file, () => process.send?.('ready'))
