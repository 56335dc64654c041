/** The whole interface over real HTTP, on the embedded database and on a PostgreSQL server alike. */
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import path from 'node:path'
import { openApiDocument, type Route, type RouteName, routes } from '@hivemind/contracts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Config } from '../src/config/config.ts'
import { type Call, Client } from './support/client.ts'
import { startPostgres, type TestPostgres } from './support/postgres.ts'
import { configFor, newFolder, removeFolder, type Started, start } from './support/service.ts'

const TEXT = `TaskGraph(list=[sense, count])
Task(sense, None, readings, 'tasks/sense.mjs', childTask=[count])
Task(count, readings, total, 'tasks/count.mjs', parentTask=sense)
`
const LAYOUT = { nodes: { sense: { x: 1, y: 2, note: 'ein Gruß' } } }

/** A profile whose only task emits this many items each time. */
function profileOf(outputsPerInvocation: number) {
  const figures = { mean: 1, quantiles: [1, 1], samples: 1 }
  const edge = { serviceMs: figures, outputBytes: figures, outputsPerInvocation }
  return { schema: 'hivemind.profile/1', note: '', tasks: { sense: { origin: 'assumed', edge } } }
}

describe.each(['embedded', 'postgresql'] as const)('on the %s database', (kind) => {
  const dataDir = newFolder()
  let postgres: TestPostgres | undefined
  let config: Config
  let started: Started
  let client: Client

  beforeAll(async () => {
    if (kind === 'postgresql') postgres = await startPostgres()
    config = configFor(dataDir, postgres ? { databaseUrl: postgres.url } : {})
    started = await start(config)
    client = started.client
  })
  afterAll(async () => {
    await started?.service.close()
    await postgres?.stop()
    removeFolder(dataDir)
  })

  const newProject = async (more: object = {}) => client.ok('createProject', { body: { name: 'P', ...more } })
  const fieldsOf = (body: { errors?: { field: string }[] }) => body.errors?.map(({ field }) => field)

  test('health names the database, and every route of the contract answers', async () => {
    expect(await client.ok('health')).toMatchObject({ status: 'ok', database: kind, sandbox: 'on' })
    expect(await client.ok('alive')).toEqual({ role: 'active' })
    for (const [name, route] of Object.entries<Route>(routes)) {
      if (!route.path.includes('{')) continue
      const path = {
        project: 'none',
        run: 'none',
        job: 'none',
        exploration: 'none',
        deployment: 'none',
        version: 1,
      }
      const { status, body } = await client.call(name as RouteName, {
        path,
        query: { path: 'x' },
        body: undefined,
      })
      expect([400, 404], name).toContain(status)
      expect(body.detail, name).not.toContain('no such address')
    }
  })

  test('the served OpenAPI document is the contract', async () => {
    expect(await client.ok('openapi')).toEqual(JSON.parse(JSON.stringify(openApiDocument(config.version))))
  })

  test('a project lives from creation to deletion', async () => {
    const project = await newProject({ name: '  Zählwerk 7 ', text: TEXT })
    expect(project).toMatchObject({ name: 'Zählwerk 7', workflowFile: 'zahlwerk-7.hive.py', headVersion: 1 })
    expect((await client.ok('listProjects'))[0].id).toBe(project.id)
    const at = { project: project.id }
    expect(await client.ok('renameProject', { path: at, body: { name: 'Other' } })).toMatchObject({
      name: 'Other',
    })
    const file = path.join(dataDir, 'projects', project.id, project.workflowFile)
    expect(readFileSync(file, 'utf8')).toBe(TEXT)
    await client.ok('deleteProject', { path: at })
    expect((await client.call('getProject', { path: at })).status).toBe(404)
    expect(() => readFileSync(file)).toThrow()
  })

  test('an example is copied with its text, code, data and layout', async () => {
    const examples = await client.ok('listExamples')
    expect(examples[0]).toMatchObject({ id: 'hello-swarm', tasks: 3 })
    expect((await client.ok('listFleets')).map((fleet: { name: string }) => fleet.name)).toContain(
      'paper-drones',
    )
    const project = await newProject({ example: 'hello-swarm' })
    expect(project).toMatchObject({ example: 'hello-swarm', workflowFile: 'hello-swarm.hive.py' })
    const at = { project: project.id }
    const files = (await client.ok('listFiles', { path: at })).map((file: { path: string }) => file.path)
    expect(files).toContain('inputs.json')
    expect(files.filter((file: string) => file.startsWith('tasks/')).length).toBeGreaterThan(1)
    expect(files).not.toContain('example.json')
    const version = await client.ok('getVersion', { path: { ...at, version: 1 } })
    expect(version).toMatchObject({ tasks: 3, errors: 0 })
    expect(Object.keys(version.layout.nodes)).toHaveLength(3)
    const profile = await client.ok('getProfile', { path: at })
    expect(Object.keys(profile.profile.tasks)).toHaveLength(3)
  })

  test('versions are kept, and a stale base changes nothing', async () => {
    const { id, workflowFile } = await newProject({ text: TEXT })
    const at = { project: id }
    const text = `${TEXT}# ü 🐝\n`
    const body = { base: 1, text, layout: LAYOUT, message: 'second' }
    expect(await client.ok('saveVersion', { path: at, body })).toMatchObject({
      number: 2,
      text,
      layout: LAYOUT,
    })
    expect(readFileSync(path.join(dataDir, 'projects', id, workflowFile), 'utf8')).toBe(text)
    const stale = await client.call('saveVersion', { path: at, body: { ...body, text: 'lost' } })
    expect(stale.status).toBe(409)
    expect(fieldsOf(stale.body)).toEqual(['base'])
    expect(readFileSync(path.join(dataDir, 'projects', id, workflowFile), 'utf8')).toBe(text)
    expect((await client.ok('listVersions', { path: at })).map((v: { number: number }) => v.number)).toEqual([
      2, 1,
    ])
    expect((await client.ok('getVersion', { path: { ...at, version: 1 } })).text).toBe(TEXT)
  })

  test('of many who save the same version at the same time, one wins', async () => {
    const { id, workflowFile } = await newProject({ text: TEXT })
    const at = { project: id }
    for (let base = 1; base <= 3; base++) {
      const replies = await Promise.all(
        Array.from({ length: 12 }, (_, who) =>
          client.call('saveVersion', {
            path: at,
            body: { base, text: `# ${base}.${who}\n${TEXT}`, layout: { nodes: {} } },
          }),
        ),
      )
      expect(replies.map((reply) => reply.status).sort()).toEqual([201, ...Array(11).fill(409)])
      const won = replies.find((reply) => reply.status === 201)?.body
      expect((await client.ok('getVersion', { path: { ...at, version: base + 1 } })).text).toBe(won.text)
      expect(readFileSync(path.join(dataDir, 'projects', id, workflowFile), 'utf8')).toBe(won.text)
    }
    expect(await client.ok('listVersions', { path: at })).toHaveLength(4)
  })

  describe('bad input', () => {
    const big = 'x'.repeat(2_000_001)
    const cases: [string, RouteName, Call, number, string | null][] = [
      ['an unknown field', 'createProject', { body: { name: 'a', colour: 'red' } }, 400, 'colour'],
      ['a wrong type', 'createProject', { body: { name: 7 } }, 400, 'name'],
      ['a missing field', 'createProject', { body: {} }, 400, 'name'],
      ['an empty name', 'createProject', { body: { name: '   ' } }, 400, 'name'],
      ['an unknown example', 'createProject', { body: { name: 'a', example: 'nope' } }, 400, 'example'],
      [
        'two sources',
        'createProject',
        { body: { name: 'a', example: 'hello-swarm', text: '' } },
        400,
        'text',
      ],
      ['a NUL character', 'createProject', { body: { name: 'a\0b' } }, 400, 'name'],
      ['half a surrogate pair', 'createProject', { body: '{"name":"a\\ud800"}' }, 400, 'name'],
      ['a long text', 'createProject', { body: { name: 'a', text: big } }, 400, 'text'],
      ['a body that is no object', 'createProject', { body: [] }, 400, '(body)'],
      ['a body that is null', 'createProject', { body: 'null' }, 400, '(body)'],
      ['broken JSON', 'createProject', { body: '{"name":' }, 400, '(body)'],
      ['no body', 'createProject', {}, 400, '(body)'],
      ['a poisoned key', 'createProject', { body: '{"name":"a","__proto__":{"x":1}}' }, 400, '(body)'],
      [
        'another media type',
        'createProject',
        { body: 'a', headers: { 'content-type': 'text/csv' } },
        415,
        null,
      ],
      ['a body over the limit', 'check', { body: { text: 'x'.repeat(8_000_001) } }, 413, '(body)'],
      ['an id that is none', 'getProject', { path: { project: '../..' } }, 404, null],
      ['an id that is not there', 'getProject', { path: { project: 'a-b' } }, 404, null],
      ['a version that is none', 'getVersion', { path: { project: '$P', version: 'x' } }, 404, null],
      ['a version that is not there', 'getVersion', { path: { project: '$P', version: 99 } }, 404, null],
      [
        'a base that is not there',
        'saveVersion',
        { path: { project: '$P' }, body: { base: 9, text: '', layout: { nodes: {} } } },
        409,
        'base',
      ],
      [
        'a base beyond every column',
        'saveVersion',
        { path: { project: '$P' }, body: { base: 2 ** 31, text: '', layout: { nodes: {} } } },
        400,
        'base',
      ],
      [
        'a version to compare with beyond every column',
        'compareVersions',
        { path: { project: '$P', version: 1 }, query: { from: String(2 ** 31) } },
        400,
        'from',
      ],
      [
        'a version to deploy beyond every column',
        'createDeployment',
        { path: { project: '$P' }, body: { version: 2 ** 31, placement: {} } },
        400,
        'version',
      ],
      [
        'a version to explore beyond every column',
        'startExploration',
        { path: { project: '$P' }, body: { version: 2 ** 31 } },
        400,
        'version',
      ],
      [
        'a deployment on no device',
        'planDeployment',
        { path: { project: '$P' }, body: { version: 1, placement: {}, classes: {} } },
        400,
        'classes',
      ],
      [
        'a body nested 50,000 deep',
        'startRun',
        { path: { deployment: 'a' }, body: `{"inputs":{"x":${'['.repeat(50_000)}${']'.repeat(50_000)}}}` },
        400,
        '(body)',
      ],
      [
        'a profile beyond every task',
        'importProfile',
        { path: { project: '$P' }, body: profileOf(1e300) },
        400,
        'tasks.sense.edge.outputsPerInvocation',
      ],
      [
        'a deep unknown field',
        'saveVersion',
        {
          path: { project: '$P' },
          body: { base: 1, text: '', layout: { nodes: { a: { x: 1, y: 2, z: 3 } } } },
        },
        400,
        'layout.nodes.a.z',
      ],
      [
        'a number that is none',
        'saveVersion',
        { path: { project: '$P' }, body: { base: 1, text: '', layout: { nodes: { a: { x: '1', y: 2 } } } } },
        400,
        'layout.nodes.a.x',
      ],
      [
        'a broken profile',
        'importProfile',
        { path: { project: '$P' }, body: { schema: 'x', note: '', tasks: {} } },
        400,
        'schema',
      ],
      [
        'an unknown fleet',
        'startExploration',
        { path: { project: '$P' }, body: { version: 1, fleet: 'none' } },
        422,
        'fleet',
      ],
      [
        'a version to explore that is not there',
        'startExploration',
        { path: { project: '$P' }, body: { version: 9 } },
        422,
        'version',
      ],
      [
        'too many devices',
        'startExploration',
        { path: { project: '$P' }, body: { version: 1, devices: 1e9 } },
        400,
        'devices',
      ],
      [
        'an unknown tier',
        'createDeployment',
        { path: { project: '$P' }, body: { version: 1, placement: { sense: 'moon' } } },
        400,
        'placement.sense',
      ],
      [
        'a sensor on an edge node',
        'createDeployment',
        { path: { project: '$P' }, body: { version: 1, placement: { sense: 'edge-node', count: 'cloud' } } },
        422,
        'placement',
      ],
      [
        'too many edge nodes',
        'createDeployment',
        { path: { project: '$P' }, body: { version: 1, placement: { sense: 'edge' }, edgeNodes: 17 } },
        400,
        'edgeNodes',
      ],
      ['an unknown exploration', 'getExploration', { path: { exploration: 'nope' } }, 404, null],
      ['an unknown deployment', 'startRun', { path: { deployment: 'nope' }, body: {} }, 404, null],
      ['an unknown run', 'runReport', { path: { run: 'nope' } }, 404, null],
      ['an unknown format', 'runReport', { path: { run: 'nope' }, query: { format: 'pdf' } }, 400, 'format'],
      ['an unknown topic', 'events', { query: { topics: 'all' } }, 400, 'topics'],
      ['no topic', 'events', {}, 400, 'topics'],
      ['an unknown project to check in', 'check', { body: { text: '', project: 'nope' } }, 404, null],
    ]
    let project = ''
    beforeAll(async () => {
      const made = await newProject({ text: TEXT })
      project = made.id
      for (const file of ['tasks/sense.mjs', 'tasks/count.mjs'])
        await client.ok('putFile', {
          path: { project },
          query: { path: file },
          body: { text: 'export const run = () => 1\n' },
        })
    })

    test.each(cases)('%s', async (_, name, call, status, field) => {
      const path = call.path && { ...call.path, ...(call.path.project === '$P' ? { project } : {}) }
      const reply = await client.call(name, { ...call, ...(path ? { path } : {}) })
      expect({ status: reply.status, detail: reply.body.detail }).toMatchObject({ status })
      if (field !== null) expect(fieldsOf(reply.body)).toContain(field)
    })

    test.each([
      ['../../etc/passwd'],
      ['tasks/../../x'],
      ['/etc/passwd'],
      ['tasks\\..\\x'],
      ['C:/x'],
      ['tasks//x'],
      ['./x'],
      ['..'],
      [''],
      ['a\0b'],
      ['link/passwd'],
      ['link'],
      ['tasks/sense.mjs/below'],
      ['tasks'],
      ['p.hive.py'],
      ['profile.json'],
    ])('the path %j is refused to write', async (file) => {
      const dir = path.join(dataDir, 'projects', project)
      mkdirSync(dir, { recursive: true })
      try {
        symlinkSync('/etc', path.join(dir, 'link'))
      } catch {
        // An earlier case made it.
      }
      const reply = await client.call('putFile', {
        path: { project },
        query: { path: file },
        body: { text: 'x' },
      })
      expect(reply.status).toBe(400)
      expect(fieldsOf(reply.body)).toEqual(['path'])
      if (file === 'p.hive.py' || file === 'profile.json') return
      expect((await client.call('getFile', { path: { project }, query: { path: file } })).status).toBe(400)
      expect((await client.call('deleteFile', { path: { project }, query: { path: file } })).status).toBe(400)
    })

    test('a workflow with errors is not explored and not deployed', async () => {
      const made = await newProject({ text: 'Task(' })
      for (const [name, body] of [
        ['startExploration', { version: 1 }],
        ['createDeployment', { version: 1, placement: {} }],
        ['startProfile', { version: 1 }],
      ] as const) {
        const reply = await client.call(name, { path: { project: made.id }, body })
        expect(reply.status).toBe(422)
        expect(fieldsOf(reply.body)).toContain('version')
      }
    })

    test('an address that cannot be read is a 400, an unknown one a 404, both with problem details', async () => {
      for (const [address, status] of [
        ['api/%zz', 400],
        ['api/nope', 404],
      ] as const) {
        const reply = await fetch(started.service.url + address)
        expect(reply.status).toBe(status)
        expect(reply.headers.get('content-type')).toContain('application/problem+json')
      }
    })
  })

  test('files are written whole, read, listed and deleted', async () => {
    const { id } = await newProject()
    const at = { project: id }
    const put = (file: string, text: string) =>
      client.ok('putFile', { path: at, query: { path: file }, body: { text } })
    expect(await put('tasks/ä b/c.py', 'x = "ü"\n')).toMatchObject({ path: 'tasks/ä b/c.py', bytes: 9 })
    await put('empty.txt', '')
    const read = await client.call('getFile', { path: at, query: { path: 'tasks/ä b/c.py' } })
    expect(read.body).toBe('x = "ü"\n')
    expect(read.headers.get('content-type')).toBe('application/octet-stream')
    expect((await client.call('getFile', { path: at, query: { path: 'empty.txt' } })).body).toBe('')
    writeFileSync(path.join(dataDir, 'projects', id, 'big.bin'), Buffer.alloc(3_000_000, 7))
    const big = await fetch(`${started.service.url}api/projects/${id}/file?path=big.bin`)
    expect((await big.arrayBuffer()).byteLength).toBe(3_000_000)
    expect(await client.ok('listFiles', { path: at })).toHaveLength(3)
    await client.ok('deleteFile', { path: at, query: { path: 'empty.txt' } })
    expect((await client.call('getFile', { path: at, query: { path: 'empty.txt' } })).status).toBe(404)
  })

  test('of two who changed the same file, the second hears of it, and nothing is overwritten', async () => {
    const { id } = await newProject()
    const file = { path: { project: id }, query: { path: 'tasks/a.js' } }
    const put = (text: string, expected?: string) =>
      client.call('putFile', {
        ...file,
        query: { ...file.query, ...(expected !== undefined && { expected }) },
        body: { text },
      })
    const made = await put('one', 'none')
    expect(made.status).toBe(200)
    const again = await put('another', 'none')
    expect(again).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining('has been made meanwhile') },
    })
    const read = await client.call('getFile', file)
    const { hash } = made.body as { hash: string }
    expect(read.headers.get('etag')).toBe(`"${hash}"`)
    // Both began from the same content and save at the same moment.
    const both = await Promise.all([put('of Ann', hash), put('of Ben', hash)])
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409])
    const lost = both.find(({ status }) => status === 409)
    expect(lost?.body.detail).toContain("'tasks/a.js' has been changed meanwhile")
    const winner = both[0]?.status === 200 ? 'of Ann' : 'of Ben'
    expect((await client.call('getFile', file)).body).toBe(winner)
    await client.ok('deleteFile', file)
    expect((await put('late', hash)).body.detail).toContain('is not there any more')
    expect((await put('at any rate')).status).toBe(200)
  })

  test('checks know the project they are for', async () => {
    const { id } = await newProject()
    const codes = async (project?: string) =>
      (await client.ok('check', { body: { text: TEXT, ...(project ? { project } : {}) } })).diagnostics.length
    expect(await codes(id)).toBeGreaterThan(await codes())
  })

  test('profiles come from assumptions until one is imported', async () => {
    const { id } = await newProject({ text: TEXT })
    const at = { project: id }
    const assumed = await client.ok('getProfile', { path: at })
    expect(assumed.origin).toBe('assumed')
    const profile = { ...assumed.profile, note: 'mine' }
    expect(await client.ok('importProfile', { path: at, body: profile })).toMatchObject({
      origin: 'imported',
      profile: { note: 'mine' },
    })
    expect(JSON.parse(readFileSync(path.join(dataDir, 'projects', id, 'profile.json'), 'utf8')).note).toBe(
      'mine',
    )
  })

  test('requests of other sites and rebound names are refused', async () => {
    const post = (headers: Record<string, string>) =>
      client.call('createProject', { body: { name: 'evil' }, headers })
    expect((await post({ origin: 'https://evil.example' })).status).toBe(403)
    expect((await post({ origin: 'null' })).status).toBe(403)
    expect((await post({ 'sec-fetch-site': 'cross-site' })).status).toBe(403)
    expect((await post({ origin: started.service.url.slice(0, -1) })).status).toBe(201)
    const status = await new Promise<number | undefined>((resolve) => {
      http.get(`${started.service.url}api/projects`, { headers: { host: 'evil.example' } }, (reply) => {
        reply.resume()
        resolve(reply.statusCode)
      })
    })
    expect(status).toBe(403)
  })

  test('what was saved is there after a restart', async () => {
    const { id } = await newProject({ text: TEXT, name: 'Keep' })
    await client.ok('saveVersion', { path: { project: id }, body: { base: 1, text: TEXT, layout: LAYOUT } })
    await started.service.close()
    started = await start(config)
    client = started.client
    expect(await client.ok('getProject', { path: { project: id } })).toMatchObject({
      name: 'Keep',
      headVersion: 2,
    })
    expect((await client.ok('getVersion', { path: { project: id, version: 2 } })).layout).toEqual(LAYOUT)
  })
})
