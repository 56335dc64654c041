import { Injectable } from '@nestjs/common'
import { Database } from '../database/database.ts'
import type { KeptSession } from './sessions.ts'

@Injectable()
export class SessionsRepository {
  private readonly database: Database

  constructor(database: Database) {
    this.database = database
  }

  /** Also forgets those whose time is over. */
  async add({ hash, expiresAt }: KeptSession): Promise<void> {
    await this.database.db.deleteFrom('sessions').where('expires_at', '<=', new Date()).execute()
    await this.database.db
      .insertInto('sessions')
      .values({ token_hash: hash, expires_at: expiresAt })
      .execute()
  }

  /** The ones that expire first come first. */
  async list(): Promise<KeptSession[]> {
    const rows = await this.database.db.selectFrom('sessions').selectAll().orderBy('expires_at').execute()
    return rows.map(({ token_hash, expires_at }) => ({ hash: token_hash, expiresAt: expires_at }))
  }

  async remove(hash: string): Promise<void> {
    await this.database.db.deleteFrom('sessions').where('token_hash', '=', hash).execute()
  }
}
