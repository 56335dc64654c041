import { Injectable } from '@nestjs/common'
import type { Selectable } from 'kysely'
import { Database } from '../database/database.ts'
import type { DeploymentsTable } from '../database/tables.ts'

export type DeploymentRow = Selectable<DeploymentsTable>

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

  list(project: string): Promise<DeploymentRow[]> {
    return this.database.db
      .selectFrom('deployments')
      .selectAll()
      .where('project_id', '=', project)
      .orderBy('created_at', 'desc')
      .orderBy('id')
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
