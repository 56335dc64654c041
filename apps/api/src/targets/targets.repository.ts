import { Injectable } from '@nestjs/common'
import { type Selectable, sql } from 'kysely'
import { Database } from '../database/database.ts'
import type { TargetsTable } from '../database/tables.ts'

export type TargetRow = Selectable<TargetsTable>

@Injectable()
export class TargetsRepository {
  private readonly database: Database

  constructor(database: Database) {
    this.database = database
  }

  /** Returns false when the name is taken. */
  async add(row: TargetRow): Promise<boolean> {
    const { numInsertedOrUpdatedRows } = await this.database.db
      .insertInto('targets')
      .values({ ...row, settings: JSON.stringify(row.settings) })
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirst()
    return Number(numInsertedOrUpdatedRows) > 0
  }

  find(name: string): Promise<TargetRow | undefined> {
    return this.database.db.selectFrom('targets').selectAll().where('name', '=', name).executeTakeFirst()
  }

  list(): Promise<TargetRow[]> {
    return this.database.db.selectFrom('targets').selectAll().orderBy('name').execute()
  }

  async update({ name, settings, sealed, updated_at }: TargetRow): Promise<void> {
    await this.database.db
      .updateTable('targets')
      .set({ settings: JSON.stringify(settings), sealed, updated_at })
      .where('name', '=', name)
      .execute()
  }

  async remove(name: string): Promise<void> {
    await this.database.db.deleteFrom('targets').where('name', '=', name).execute()
  }

  /** How many deployments are starting or ready on each target. */
  async live(): Promise<Map<string, number>> {
    const target = sql<string>`request->>'target'`
    const rows = await this.database.db
      .selectFrom('deployments')
      .select([target.as('target'), ({ fn }) => fn.countAll().as('count')])
      .where('state', 'in', ['starting', 'ready'])
      .where(target, 'is not', null)
      .groupBy(target)
      .execute()
    return new Map(rows.map(({ target, count }) => [target, Number(count)]))
  }
}
