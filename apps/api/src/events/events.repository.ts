import type { ServerEvent } from '@hivemind/contracts'
import { Injectable } from '@nestjs/common'
import { type ExpressionBuilder, sql } from 'kysely'
import { Database } from '../database/database.ts'
import type { Tables } from '../database/tables.ts'
import type { Numbered } from './merge.ts'

/** The newest event of a noun: it carries the whole state of the noun, so that older ones need not be kept. */
export interface NounEvent extends Numbered<ServerEvent> {
  /** Type of the event and id of the noun. */
  noun: string
  project: string | null
  topics: readonly string[]
}

const PAGE = 500

@Injectable()
export class EventsRepository {
  private readonly database: Database

  constructor(database: Database) {
    this.database = database
  }

  /** Keeps the newest event of each noun. One of a project that is gone meanwhile is left out. */
  async keep(events: readonly NounEvent[]): Promise<void> {
    for (const { noun, id, project, topics, event } of events)
      await sql`
        insert into events (noun, id, project_id, topics, event)
        select ${noun}, ${id}::bigint, ${project}::text, ${` ${topics.join(' ')} `}, ${JSON.stringify(event)}::json
        where ${project}::text is null or exists (select 1 from projects where projects.id = ${project}::text)
        on conflict (noun) do update set id = excluded.id, topics = excluded.topics, event = excluded.event
      `.execute(this.database.db)
  }

  /** The newest events of the nouns of these topics that changed after an id, in order of ids. */
  async *after(topics: ReadonlySet<string>, id: number): AsyncGenerator<Numbered<ServerEvent>> {
    const ofTopics = (eb: ExpressionBuilder<Tables, 'events'>) =>
      eb.or([...topics].map((topic) => eb('topics', 'like', `% ${topic} %`)))
    for (let last = id; ; ) {
      const rows = await this.database.db
        .selectFrom('events')
        .select(['id', 'event'])
        .where('id', '>', last)
        .where(ofTopics)
        .orderBy('id')
        .limit(PAGE)
        .execute()
      for (const { id: own, event } of rows) {
        last = Number(own)
        yield { id: last, event }
      }
      if (rows.length < PAGE) return
    }
  }
}
