import module from 'node:module'
import path from 'node:path'
import { Worker } from 'node:worker_threads'

/** Starts a thread of the command. Like the command it takes what was compiled before from the cache, if that is on. */
export function startThread(file: URL): Worker {
  const cache = module.getCompileCacheDir()
  if (cache === undefined) return new Worker(file)
  // each version of Node.js has a folder of its own in it
  return new Worker(file, { env: { ...process.env, NODE_COMPILE_CACHE: path.dirname(cache) } })
}
