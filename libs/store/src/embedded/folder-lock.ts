/** One process at a time opens the folder of a store. */
import { mkdir, stat } from 'node:fs/promises'
import net from 'node:net'
import { StoreError } from '../errors.ts'

/**
 * Makes a folder when it is not there and takes it for this process. Returns the release. The lock is an abstract Unix
 * socket, which the kernel closes with its process, however that ends. Rejects with `StoreError` when the folder is taken.
 */
export async function lockFolder(folder: string): Promise<() => Promise<void>> {
  await mkdir(folder, { recursive: true }).catch((error: NodeJS.ErrnoException) => {
    throw new StoreError(`The folder ${folder} of the store cannot be made (${error.code}): name another.`)
  })
  const { dev, ino } = await stat(folder)
  const server = net.createServer((socket) => socket.destroy())
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        error.code === 'EADDRINUSE'
          ? new StoreError(
              `The folder ${folder} is in use by another store: close it, or name another folder.`,
            )
          : new StoreError(`The folder ${folder} cannot be locked: ${error.message}.`),
      ),
    )
    server.listen({ path: `\0hivemind-store-${dev}-${ino}` }, resolve)
  })
  server.unref()
  return () => new Promise((resolve) => server.close(() => resolve()))
}
