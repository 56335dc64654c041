/** Collects what nothing refers to any more: at the start of the service, and every day. */
import { BlobStore } from '@hivemind/values/node'
import { Injectable } from '@nestjs/common'
import { log } from '../common/log.ts'
import { Checkouts } from './checkouts.ts'

const EVERY_MS = 86_400_000

@Injectable()
export class Housekeeping {
  private readonly blobs: BlobStore
  private readonly checkouts: Checkouts
  private readonly uses: (() => Promise<Iterable<string>>)[] = []
  private timer: NodeJS.Timeout | undefined
  private sweeping: Promise<void> | undefined

  constructor(blobs: BlobStore, checkouts: Checkouts) {
    this.blobs = blobs
    this.checkouts = checkouts
  }

  /** Registers who knows hashes of blobs that are in use. */
  addUse(hashes: () => Promise<Iterable<string>>): void {
    this.uses.push(hashes)
  }

  start(): void {
    this.timer = setInterval(() => void this.sweep(), EVERY_MS).unref()
    void this.sweep()
  }

  /** Sweeps once. Never rejects: when the uses cannot be read, nothing is removed. */
  sweep(options: { olderThanMs?: number; unusedMs?: number } = {}): Promise<void> {
    this.sweeping ??= this.perform(options)
      .catch((error: unknown) => log.error({ err: error }, 'Unused blobs could not be removed.'))
      .finally(() => {
        this.sweeping = undefined
      })
    return this.sweeping
  }

  private async perform({
    olderThanMs,
    unusedMs,
  }: {
    olderThanMs?: number
    unusedMs?: number
  }): Promise<void> {
    const live = new Set<string>()
    for (const use of this.uses) for (const hash of await use()) live.add(hash)
    const { blobs, bytes } = await this.blobs.sweep(live, olderThanMs === undefined ? {} : { olderThanMs })
    const folders = await this.checkouts.sweep(unusedMs)
    if (blobs + folders > 0)
      log.info({ blobs, bytes, folders }, `Removed ${blobs} unused blobs and ${folders} unused folders.`)
  }

  async stop(): Promise<void> {
    clearInterval(this.timer)
    await this.sweeping
  }
}
