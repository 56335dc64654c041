import { Injectable } from '@nestjs/common'
import { Database } from '../database/database.ts'
import type { Key } from './key-ring.ts'

@Injectable()
export class AccessKeysRepository {
  private readonly database: Database

  constructor(database: Database) {
    this.database = database
  }

  /** Returns false when the name is taken. */
  async add({ name, grants, hash, expiresAt, createdAt }: Key): Promise<boolean> {
    const { numInsertedOrUpdatedRows } = await this.database.db
      .insertInto('access_keys')
      .values({
        name,
        grants: JSON.stringify(grants),
        secret_hash: hash.toString('hex'),
        expires_at: expiresAt,
        created_at: createdAt,
      })
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirst()
    return Number(numInsertedOrUpdatedRows) > 0
  }

  async list(): Promise<Key[]> {
    const rows = await this.database.db.selectFrom('access_keys').selectAll().execute()
    return rows.map(({ name, grants, secret_hash, expires_at, created_at }) => ({
      name,
      grants,
      hash: Buffer.from(secret_hash, 'hex'),
      expiresAt: expires_at,
      createdAt: created_at,
    }))
  }

  /** Returns false when there is none. */
  async remove(name: string): Promise<boolean> {
    const { numDeletedRows } = await this.database.db
      .deleteFrom('access_keys')
      .where('name', '=', name)
      .executeTakeFirst()
    return Number(numDeletedRows) > 0
  }
}
