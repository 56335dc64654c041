import { Injectable } from '@nestjs/common'
import type { Selectable } from 'kysely'
import { Database } from '../database/database.ts'
import type { DevicesTable } from '../database/tables.ts'

export type DeviceRow = Selectable<DevicesTable>

@Injectable()
export class DevicesRepository {
  private readonly database: Database

  constructor(database: Database) {
    this.database = database
  }

  /** Returns false when the id is taken. */
  async add(row: DeviceRow): Promise<boolean> {
    const { numInsertedOrUpdatedRows } = await this.database.db
      .insertInto('devices')
      .values(row)
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirst()
    return Number(numInsertedOrUpdatedRows) > 0
  }

  list(): Promise<DeviceRow[]> {
    return this.database.db.selectFrom('devices').selectAll().orderBy('id').execute()
  }

  /** Returns false when there is none. */
  async remove(id: string): Promise<boolean> {
    const { numDeletedRows } = await this.database.db
      .deleteFrom('devices')
      .where('id', '=', id)
      .executeTakeFirst()
    return Number(numDeletedRows) > 0
  }
}
