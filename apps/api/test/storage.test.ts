/** What the database holds of runs: rows of before keep their meaning, and a long run does not fill the memory. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Span } from '@hivemind/orchestrator'
import { sql } from 'kysely'
import { Migrator } from 'kysely/migration'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Database, migrations, openDatabase, openUnmigrated } from '../src/database/database.ts'
import { RunsRepository } from '../src/runs/runs.repository.ts'
import { startPostgres, type TestPostgres } from './support/postgres.ts'
import { newFolder, removeFolder } from './support/service.ts'

const span = (seq: number, more: Partial<Span> = {}): Span => ({
  task: 'judge',
  device: `device-${seq % 4}`,
  seq: Math.floor(seq / 4),
  tier: 'edge',
  worker: 'agent-1',
  queuedAt: 1_000.5 + seq,
  startedAt: 1_001 + seq,
  endedAt: 1_011 + seq,
  breakdown: { network: 1, management: 1, dataExchange: 0, execution: 9 },
  bytesIn: 1,
  bytesOut: 1,
  items: 1,
  status: 'ok',
  attempt: 1,
  ...more,
})

describe.each(['embedded', 'postgresql'] as const)('on the %s database', (kind) => {
  const dataDir = newFolder()
  let postgres: TestPostgres | undefined
  let database: Database

  beforeAll(async () => {
    if (kind === 'postgresql') postgres = await startPostgres()
    database = await openUnmigrated(dataDir, postgres?.url)
  })
  afterAll(async () => {
    await database?.close()
    await postgres?.stop()
    removeFolder(dataDir)
  })

  test('runs of before the spans had a table keep spans, outputs and logs', async () => {
    const { db } = database
    const all = Object.entries(await migrations())
    const first = new Migrator({
      db,
      provider: { getMigrations: async () => Object.fromEntries(all.slice(0, 1)) },
    })
    expect((await first.migrateToLatest()).error).toBeUndefined()
    await sql`insert into projects (id, name, workflow_file, head_version, created_at, updated_at)
      values ('p', 'P', 'p.hive.py', 1, now(), now())`.execute(db)
    await sql`insert into versions (project_id, number, message, text, layout, tasks, errors, created_at)
      values ('p', 1, '', 'TaskGraph(list=[])', '{"nodes":{}}', 0, 0, now())`.execute(db)
    await sql`insert into deployments (id, project_id, request, state, message, resources, created_at)
      values ('d', 'p', '{}', 'stopped', '', '[]', now())`.execute(db)
    const output = { task: 'judge', data: 'x', device: '*', seq: 0, value: { z: 1, a: 2 } }
    const result = {
      state: 'succeeded',
      startedAt: 1_000,
      endedAt: 1_100,
      outputs: [output],
      spans: [span(0), span(1, { status: 'failed', error: 'half\0' })],
      tasks: [],
      losses: ['x'],
    }
    const insertRun = (id: string, json: string | null) =>
      sql`insert into runs (id, project_id, deployment_id, request, state, message, created_at, ended_at, result)
        values (${id}, 'p', 'd', '{}', 'succeeded', '', now(), now(), ${json}::json)`.execute(db)
    const insertEvent = (run: string, seq: number, event: { type: string }) =>
      sql`insert into run_events (run_id, seq, kind, event)
        values (${run}, ${seq}, ${event.type}, ${JSON.stringify(event)}::json)`.execute(db)
    await insertRun('whole', JSON.stringify(result))
    const line = { at: 1_001, level: 'info', source: 'run', text: 'hello' }
    await insertEvent('whole', 0, { type: 'log', at: 1_001, line } as { type: string })
    await insertRun('cut', null)
    await insertEvent('cut', 0, { type: 'span', at: 1_011, span: span(3) } as { type: string })
    await insertEvent('cut', 1, { type: 'output', at: 1_012, output } as { type: string })
    await database.close()

    database = await openDatabase(dataDir, postgres?.url)
    const runs = new RunsRepository(database)
    const row = await runs.find('whole')
    expect(row).toMatchObject({ span_count: 2, output_count: 1, statistics: null })
    expect(row?.result).toEqual({
      state: 'succeeded',
      startedAt: 1_000,
      endedAt: 1_100,
      outputs: [],
      tasks: [],
      losses: ['x'],
    })
    expect((await runs.spans('whole')).map((each) => each.span)).toEqual([
      span(0),
      span(1, { status: 'failed', error: 'half\uFFFD' }),
    ])
    const kept = await runs.outputs('whole', 10)
    expect(kept).toEqual({ outputs: [output], count: 1 })
    expect(JSON.stringify(kept.outputs[0]?.value)).toBe('{"z":1,"a":2}')
    expect((await runs.events('whole')).map(({ type }) => type)).toEqual(['log'])
    expect((await runs.spans('cut')).map((each) => each.span)).toEqual([span(3)])
    expect((await runs.outputs('cut', 10)).count).toBe(1)
  })

  test('of 100,000 spans only a page is in memory', async () => {
    const runs = new RunsRepository(database)
    const TOTAL = 100_000
    const BATCH = 5_000
    for (let from = 0; from < TOTAL; from += BATCH)
      await runs.addEvents('cut', {
        spans: Array.from({ length: BATCH }, (_, at) => ({ id: 10 + from + at, span: span(from + at) })),
        events: [],
      })
    // What is held, not what waits to be collected.
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc') as () => void
    const held = (): number => {
      collect()
      return process.memoryUsage().heapUsed
    }
    const before = held()
    let [count, most] = [0, 0]
    for await (const _ of runs.allSpans('cut')) {
      count++
      if (count % 10_000 === 0) most = Math.max(most, held())
    }
    expect(count).toBe(TOTAL + 1)
    // All at once they take more than 100 MB.
    expect(most - before).toBeLessThan(90_000_000)
    const tenth: number[] = []
    for await (const { span: each } of runs.allSpans('cut', { everyItem: 10 })) tenth.push(each.seq)
    expect(tenth.length).toBe(TOTAL / 10 + 1)
    expect(tenth.every((seq) => seq % 10 === 0)).toBe(true)
  }, 180_000)
})
