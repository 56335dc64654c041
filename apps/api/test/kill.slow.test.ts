/** A service that is killed while it saves and runs: nothing that it acknowledged is lost, and nothing is left behind. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type BuiltService, buildService, launchBuilt } from './support/built-service.ts'
import { type Client, until } from './support/client.ts'
import { newFolder, removeFolder } from './support/service.ts'

const KILLS = process.env.HIVEMIND_SOAK === '1' ? 30 : 3
const WRITERS = 4

const dataDir = newFolder()
let build: string
let service: BuiltService | undefined

beforeAll(() => {
  build = buildService('api-kill')
})
afterAll(async () => {
  await service?.kill()
  removeFolder(dataDir)
  if (build) removeFolder(build)
})

const placement = { readSensor: 'edge', judge: 'cloud', summary: 'cloud' }

interface Acknowledged {
  /** Newest version and its text, by project. */
  heads: Map<string, { version: number; text: string }>
  files: Map<string, { project: string; path: string; text: string }>
  /** States of runs, as they were answered last. */
  runs: Map<string, string>
}

const textOf = (mark: string) => `# ${mark}\nTaskGraph(list=[])\n`

/** Creates projects, saves versions and writes files until the service is gone. */
async function write(client: Client, writer: string, known: Acknowledged): Promise<void> {
  for (let n = 0; ; n++) {
    const project = (
      await client.ok('createProject', { body: { name: `${writer}-${n}`, text: textOf(`${writer}-${n}`) } })
    ).id as string
    known.heads.set(project, { version: 1, text: textOf(`${writer}-${n}`) })
    for (let base = 1; base < 6; base++) {
      const file = { project, path: `data/${base}.txt`, text: `${writer} ${n} ${base} `.repeat(2_000) }
      await client.ok('putFile', { path: { project }, query: { path: file.path }, body: { text: file.text } })
      known.files.set(`${project}/${file.path}`, file)
      const text = textOf(`${writer}-${n} version ${base + 1}`)
      await client.ok('saveVersion', { path: { project }, body: { base, text, layout: { nodes: {} } } })
      known.heads.set(project, { version: base + 1, text })
    }
  }
}

/** A deployment of hello-swarm that is ready. It goes on while there is no service. */
async function deployed(client: Client): Promise<string> {
  const { id: project } = await client.ok('createProject', {
    body: { name: 'Hello', example: 'hello-swarm' },
  })
  const { id: deployment } = await client.ok('createDeployment', {
    path: { project },
    body: { version: 1, placement, agents: 1 },
  })
  await until(async () => (await client.ok('getDeployment', { path: { deployment } })).state === 'ready')
  return deployment
}

/** Runs over and over until the service is gone. */
async function run(client: Client, deployment: string, known: Acknowledged): Promise<void> {
  for (;;) {
    const { id } = await client.ok('startRun', { path: { deployment }, body: { itemsPerDevice: 3 } })
    known.runs.set(id, 'queued')
    await until(async () => {
      const { state, endedAt } = await client.ok('getRun', { path: { run: id } })
      known.runs.set(id, state)
      return endedAt !== undefined
    })
  }
}

/** Projects of all pages. */
async function projectsOf(
  client: Client,
): Promise<{ id: string; headVersion: number; workflowFile: string }[]> {
  const all = []
  for (let after: string | undefined; ; after = all.at(-1)?.id) {
    const query = { limit: '1000', ...(after !== undefined && { after }) }
    const page = await client.ok('listProjects', { query })
    all.push(...page)
    if (page.length < 1_000) return all
  }
}

/** Ids of the processes that run below a folder. */
const processesIn = (folder: string): string[] =>
  readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readlinkSync(`/proc/${pid}/cwd`).startsWith(folder)
    } catch {
      return false
    }
  })

const everything = (folder: string): string[] => readdirSync(folder, { recursive: true, encoding: 'utf8' })

test(`${KILLS} kills`, { timeout: KILLS * 90_000 }, async () => {
  const known: Acknowledged = { heads: new Map(), files: new Map(), runs: new Map() }
  const root = path.join(dataDir, 'projects')
  let deployment = ''
  for (let round = 0; round < KILLS; round++) {
    service = await launchBuilt(build, dataDir)
    const { client, kill } = service
    if (round === 0) deployment = await deployed(client)
    else expect((await client.ok('getDeployment', { path: { deployment } })).state).toBe('ready')
    const running = run(client, deployment, known).catch(() => {})
    const writers = Array.from({ length: WRITERS }, (_, each) =>
      // The request under way fails with the service; what it asked for may or may not be there.
      write(client, `w${round}-${each}`, known).catch(() => {}),
    )
    await setTimeout(500 + 1_500 * Math.random())
    await kill()
    await Promise.all([...writers, running])
  }
  service = await launchBuilt(build, dataDir)
  const { client } = service
  const projects = await projectsOf(client)
  const heads = new Map(projects.map((project) => [project.id, project.headVersion]))
  expect(known.heads.size).toBeGreaterThan(0)
  for (const [id, { version }] of known.heads) expect(heads.get(id) ?? 0).toBeGreaterThanOrEqual(version)
  for (const { project, path: name, text } of known.files.values())
    expect(readFileSync(path.join(root, project, name), 'utf8')).toBe(text)
  for (const { id, headVersion, workflowFile } of projects) {
    const { text } = await client.ok('getVersion', { path: { project: id, version: headVersion } })
    expect(readFileSync(path.join(root, id, workflowFile), 'utf8')).toBe(text)
  }
  expect(known.runs.size).toBeGreaterThan(0)
  for (const id of known.runs.keys()) {
    const whole = await until(async () => {
      const now = await client.ok('getRun', { path: { run: id } })
      return now.endedAt !== undefined && now
    })
    // Also those that were under way when their service was killed.
    expect(whole).toMatchObject({
      state: 'succeeded',
      result: { losses: [], outputs: [{ task: 'summary' }] },
    })
  }
  await client.ok('undeploy', { path: { deployment } })
  await until(() => processesIn(dataDir).length === 0)
  expect(readdirSync(root).sort()).toEqual([...heads.keys()].sort())
  expect(everything(root).filter((file) => path.basename(file).startsWith('.'))).toEqual([])
})
