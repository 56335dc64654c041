/** Requests that the OpenAPI document allows, and some that it does not: no server error, no answer outside the contract. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type BuiltService, buildService, launchBuilt } from './support/built-service.ts'
import { newFolder, removeFolder } from './support/service.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
/** As `npm test` installs it from `fuzz/requirements.txt`. */
const schemathesis = path.join(root, '.cache/python-schemathesis/bin/schemathesis')
const soak = process.env.HIVEMIND_SOAK === '1'
/** Of each operation; the soak run sends more than 5,000 requests. */
const EXAMPLES = soak ? 100 : 4

const dataDir = newFolder()
let build = ''
let service: BuiltService | undefined

beforeAll(async () => {
  if (!existsSync(schemathesis)) return
  build = buildService('api-fuzz')
  service = await launchBuilt(build, dataDir)
})
afterAll(async () => {
  await service?.kill()
  removeFolder(dataDir)
  if (build) removeFolder(build)
})

test('no server error and no answer outside the contract', { timeout: 1_800_000 }, async (context) => {
  if (!service) return context.skip('schemathesis is not installed: npm test does that')
  const child = spawn(
    schemathesis,
    [
      'run',
      `${service.client.url}api/openapi.json`,
      ...['--phases', soak ? 'coverage,fuzzing,stateful' : 'fuzzing,stateful'],
      ...['--checks', 'not_a_server_error,content_type_conformance,response_schema_conformance'],
      ...['--max-examples', String(EXAMPLES), '--request-timeout', '120', '--no-color'],
      // Streams that never end; and bitstreams, which take minutes each.
      ...['events', 'watchStore', 'subscribeToStoreTopics', 'startFabricBuild'].flatMap((id) => [
        '--exclude-operation-id',
        id,
      ]),
      ...(soak ? [] : ['--seed', '1']),
    ],
    { cwd: dataDir, stdio: ['ignore', 'pipe', 'pipe'] },
  )
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      said += chunk
    })
  const [code] = await once(child, 'close')
  const [, generated = '0'] = /(\d+) generated/.exec(said) ?? []
  expect(code, said).toBe(0)
  expect(Number(generated)).toBeGreaterThan(soak ? 5_000 : 100)
})
