import { createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { agentArchive } from '@hivemind/packaging'
import { Inject, Injectable } from '@nestjs/common'
import { CONFIG, type Config } from '../config/config.ts'

/** The agent of devices as an archive: made for the first who asks this service for it, and kept in the data folder. */
@Injectable()
export class AgentPackage {
  private readonly config: Config
  private made: Promise<string> | undefined

  constructor(@Inject(CONFIG) config: Config) {
    this.config = config
  }

  /** Its file. Rejects when it cannot be written; who asks next has it tried again. */
  file(): Promise<string> {
    this.made ??= this.make().catch((error: unknown) => {
      this.made = undefined
      throw error
    })
    return this.made
  }

  private async make(): Promise<string> {
    const { root, dataDir } = this.config
    const file = path.join(dataDir, 'agent.tar.gz')
    const draft = `${file}.new`
    try {
      await pipeline(agentArchive(root), createWriteStream(draft))
      await rename(draft, file)
    } catch (error) {
      await rm(draft, { force: true })
      throw error
    }
    return file
  }
}
