/** Lists come by page: whole, without repetition, and in order, also while entries of one time lie on both sides of a cut. */
import type { RouteName } from '@hivemind/contracts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { until } from './support/client.ts'
import { startPostgres, type TestPostgres } from './support/postgres.ts'
import { configFor, newFolder, removeFolder, type Started, start } from './support/service.ts'

const TEXT = `TaskGraph(list=['a'])
Data(out, kind='object')
Task(a, None, out, 'a.mjs', parentTask=None, childTask=[])
`

type Entry = { id: string; number: number; createdAt: string; updatedAt: string }

describe.each(['embedded', 'postgresql'] as const)('on the %s database', (kind) => {
  const dataDir = newFolder()
  let postgres: TestPostgres | undefined
  let started: Started
  let project = ''

  beforeAll(async () => {
    if (kind === 'postgresql') postgres = await startPostgres()
    started = await start(configFor(dataDir, postgres ? { databaseUrl: postgres.url } : {}))
    for (let n = 0; n < 25; n++)
      project = (await started.client.ok('createProject', { body: { name: `Project ${n}`, text: TEXT } })).id
  })
  afterAll(async () => {
    await started?.service.close()
    await postgres?.stop()
    removeFolder(dataDir)
  })

  /** All pages of a list. */
  async function pagesOf(
    name: RouteName,
    limit: number,
    idOf: (entry: Entry) => string | number = ({ id }) => id,
  ): Promise<Entry[][]> {
    const pages: Entry[][] = []
    for (let after: string | number | undefined; ; ) {
      const query = { limit: String(limit), ...(after !== undefined && { after: String(after) }) }
      const path: Record<string, string> = name === 'listProjects' ? {} : { project }
      const page: Entry[] = await started.client.ok(name, { path, query })
      pages.push(page)
      const last = page.at(-1)
      if (page.length < limit || !last) return pages
      after = idOf(last)
    }
  }

  test('projects, newest change first', async () => {
    const pages = await pagesOf('listProjects', 10)
    expect(pages.map((page) => page.length)).toEqual([10, 10, 5])
    const all = pages.flat()
    expect(new Set(all.map(({ id }) => id)).size).toBe(25)
    const times = all.map(({ updatedAt }) => updatedAt)
    expect(times).toEqual(times.toSorted().reverse())
    expect(await started.client.ok('listProjects')).toHaveLength(25)
    const whole = await pagesOf('listProjects', 25)
    expect(whole.map((page) => page.length)).toEqual([25, 0])
  })

  test('versions', async () => {
    for (let base = 1; base < 7; base++)
      await started.client.ok('saveVersion', {
        path: { project },
        body: { base, text: `${TEXT}# ${base}\n`, layout: { nodes: {} }, message: '' },
      })
    const pages = await pagesOf('listVersions', 3, ({ number }) => number)
    expect(pages.map((page) => page.map(({ number }) => number))).toEqual([[7, 6, 5], [4, 3, 2], [1]])
  })

  test('deployments and their runs', async () => {
    const { client } = started
    const example = await client.ok('createProject', { body: { name: 'Hello', example: 'hello-swarm' } })
    project = example.id
    const placement = { readSensor: 'edge', judge: 'cloud', summary: 'cloud' }
    const body = { version: 1, placement, beside: true }
    const deployments = await Promise.all(
      Array.from({ length: 5 }, () => client.ok('createDeployment', { path: { project }, body })),
    )
    for (const { id } of deployments)
      await until(
        async () => (await client.ok('getDeployment', { path: { deployment: id } })).state === 'ready',
      )
    const runs = await Promise.all(
      Array.from({ length: 11 }, () =>
        client.ok('startRun', { path: { deployment: deployments[0].id }, body: {} }),
      ),
    )
    const idsOf = async (name: RouteName, limit: number): Promise<string[]> =>
      (await pagesOf(name, limit)).flat().map(({ id }) => id)
    expect((await idsOf('listDeployments', 2)).toSorted()).toEqual(deployments.map(({ id }) => id).toSorted())
    expect((await idsOf('listRuns', 4)).toSorted()).toEqual(runs.map(({ id }) => id).toSorted())
    expect(await idsOf('listRuns', 4)).toEqual(await idsOf('listRuns', 1_000))
  })

  test('a page behind an entry that is gone is refused, since nobody knows where it would begin', async () => {
    const { status, body } = await started.client.call('listProjects', { query: { after: 'gone' } })
    expect(status).toBe(422)
    expect(body.detail).toBe("There is no project 'gone' to go on behind: begin with the first page.")
    const { status: much } = await started.client.call('listProjects', { query: { limit: '1001' } })
    expect(much).toBe(400)
  })
})
