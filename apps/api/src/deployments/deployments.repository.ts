import { Injectable } from '@nestjs/common'
import type { Selectable } from 'kysely'
import { Database } from '../database/database.ts'
import { behind, type Listed, type Page } from '../database/pages.ts'
import type { DeploymentsTable } from '../database/tables.ts'

export type DeploymentRow = Selectable<DeploymentsTable>

const DEPLOYMENTS: Listed = { table: 'deployments', time: 'created_at', noun: 'deployment' }

@Injectable()
export class DeploymentsRepository {
  private readonly database: Database

  constructor(database: Database) {
    this.database = database
  }

  async add(row: DeploymentRow): Promise<void> {
    await this.database.db
      .insertInto('deployments')
      .values({
        ...row,
        request: JSON.stringify(row.request),
        resources: JSON.stringify(row.resources),
        estimate: row.estimate ? JSON.stringify(row.estimate) : null,
        live: row.live ? JSON.stringify(row.live) : null,
      })
      .execute()
  }

  find(id: string): Promise<DeploymentRow | undefined> {
    return this.database.db.selectFrom('deployments').selectAll().where('id', '=', id).executeTakeFirst()
  }

  async list(project: string, { limit, after }: Page): Promise<DeploymentRow[]> {
    return this.database.db
      .selectFrom('deployments')
      .selectAll()
      .where('project_id', '=', project)
      .where(await behind(this.database.db, DEPLOYMENTS, after))
      .orderBy('created_at', 'desc')
      .orderBy('id')
      .limit(limit)
      .execute()
  }

  async update(row: DeploymentRow): Promise<void> {
    await this.database.db
      .updateTable('deployments')
      .set({
        state: row.state,
        message: row.message,
        resources: JSON.stringify(row.resources),
        live: row.live ? JSON.stringify(row.live) : null,
      })
      .where('id', '=', row.id)
      .execute()
  }

  /** Deployments that were live when the service ended, the oldest first. */
  leftLive(): Promise<DeploymentRow[]> {
    return this.database.db
      .selectFrom('deployments')
      .selectAll()
      .where('state', 'in', ['starting', 'ready'])
      .orderBy('created_at')
      .execute()
  }
}
