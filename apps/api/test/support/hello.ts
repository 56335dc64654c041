/** A service with a copy of the first example, for tests that deploy and run it. */
import { afterAll, beforeAll } from 'vitest'
import { type Service, startService } from '../../src/service.ts'
import { Client } from './client.ts'
import { configFor, newFolder, removeFolder } from './service.ts'

/** What `helloSwarm` has started; set before the first test. */
export interface HelloSwarm {
  service: Service
  client: Client
  /** Id of the project. */
  project: string
  /** Saves these files, and then a version with further statements behind the text, or that text changed. Returns its number. */
  save(files: Record<string, string>, statements?: string, change?: (text: string) => string): Promise<number>
}

/** Starts a service before the tests of a file and ends it after them. */
export function helloSwarm(): HelloSwarm {
  const hello = {} as HelloSwarm
  let folder: string
  beforeAll(async () => {
    folder = newFolder()
    const service = await startService(configFor(folder))
    const client = new Client(service.url)
    const { id: project } = await client.ok('createProject', {
      body: { name: 'Hello', example: 'hello-swarm' },
    })
    const save: HelloSwarm['save'] = async (files, statements = '', change = (text) => text) => {
      for (const [path, text] of Object.entries(files))
        await client.ok('putFile', { path: { project }, query: { path }, body: { text } })
      const { headVersion: base } = await client.ok('getProject', { path: { project } })
      const { text, layout } = await client.ok('getVersion', { path: { project, version: base } })
      const body = { base, text: change(text) + statements, layout, message: '' }
      return (await client.ok('saveVersion', { path: { project }, body })).number
    }
    Object.assign(hello, { service, client, project, save })
  }, 120_000)
  afterAll(async () => {
    await hello.service.close()
    removeFolder(folder)
  }, 60_000)
  return hello
}
