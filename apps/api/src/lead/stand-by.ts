/** A service that stands by: it waits while another one uses the data folder, and takes over when that ends (HiveMind, section 4.7). */
import { setTimeout as sleep } from 'node:timers/promises'
import { DataFolderInUseError } from '@hivemind/data-folder'
import type { Config } from '../config/config.ts'
import { lockFolder } from '../storage/data-dir.ts'
import { StandByServer } from './stand-by-server.ts'

/** How often the lock is tried, in ms. The kernel frees it when its process ends, however that ends. */
const TRY_EVERY_MS = 100

/**
 * Waits for the data folder and takes it; resolves with the release, or `undefined` when the signal came first. Meanwhile whoever asks
 * this service is told that another one is active, if its port is free. `onWait` is called once, with who has the folder.
 * Rejects with `StartError` when the folder cannot be used at all.
 */
export async function takeLead(
  config: Config,
  signal: AbortSignal,
  onWait: (owner: string) => void,
): Promise<(() => void) | undefined> {
  let server: StandByServer | undefined
  try {
    while (!signal.aborted) {
      try {
        return lockFolder(config.dataDir)
      } catch (error) {
        if (!(error instanceof DataFolderInUseError)) throw error
        if (!server) {
          onWait(error.owner)
          server = await StandByServer.start(config)
        }
      }
      await sleep(TRY_EVERY_MS, undefined, { signal }).catch(() => {})
    }
    return undefined
  } finally {
    await server?.close()
  }
}
