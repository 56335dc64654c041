/** The store of the service: in the data folder, or on a Redis server. */
import path from 'node:path'
import {
  type EmbeddedStore,
  openEmbeddedStore,
  openRedisStore,
  type Store,
  StoreDataPort,
} from '@hivemind/store'
import { isPassingPool } from '@hivemind/synthesis'
import { StartError } from '../common/start-error.ts'
import { sentenceOf } from '../common/text.ts'
import type { Config } from '../config/config.ts'

/** Path of the pools that belong to runs: one for each run, and one for what only passes between its tasks. */
export const RUN_POOLS = '/runs'

/** The store that the service has opened. */
export class OpenedStore {
  readonly store: Store
  /** The same store, when it is in the data folder. */
  readonly embedded: EmbeddedStore | null
  /** The values of runs in it. What only passes between tasks is not forced to the disk. */
  readonly values: StoreDataPort

  private constructor(store: Store, embedded: EmbeddedStore | null) {
    this.store = store
    this.embedded = embedded
    this.values = new StoreDataPort(store, { prefix: RUN_POOLS, isBuffered: isPassingPool })
  }

  /** Opens the store that is configured. Throws `StartError` when it cannot be used. */
  static async open({ dataDir, redis }: Config): Promise<OpenedStore> {
    if (redis !== undefined) {
      const opening = openRedisStore(redis)
      return new OpenedStore(await opening.catch(refuse('Check HIVEMIND_STORE_URL.')), null)
    }
    const folder = path.join(dataDir, 'store')
    const embedded = await openEmbeddedStore({ folder }).catch(
      refuse("If it is damaged, 'hivemind restore' puts a backup in its place."),
    )
    return new OpenedStore(embedded, embedded)
  }
}

const refuse = (advice: string) => (error: unknown) => {
  throw new StartError(`The store could not be opened: ${sentenceOf(error)}. ${advice}`)
}
