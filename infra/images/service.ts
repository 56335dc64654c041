/**
 * `node infra/images/service.ts FOLDER`: writes the image of the service with the IDE, the agents of devices that it starts and
 * the examples, `service.tar`, and prints its name as JSON. The tag changes with the content. Needs the built apps (`npm start`
 * builds them), bubblewrap and Python.
 */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { application, type Entries, tree } from '@hivemind/packaging'
import { contentHash, writeImage } from './archive.ts'
import { people, program, python } from './contents.ts'

const root = path.resolve(fileURLToPath(new URL('../../', import.meta.url)))
const NODE = '/usr/local/bin/node'
const APPS = ['apps/api', 'apps/edge-agent', 'apps/function-host']
/** What the service finds below its root beside its packages. */
const FOLDERS = ['apps/web/dist', 'examples']
/** The sandbox, what it is tried with, and what gives task code its lower priority. */
const PROGRAMS = ['bwrap', 'env', 'true', 'nice'].map((name) => `/usr/bin/${name}`)
/** A map leads from what was built to the source, which is not there. */
const isWanted = (file: string): boolean => !file.endsWith('.map')

const [out] = process.argv.slice(2)
if (!out) {
  console.error('Usage: node infra/images/service.ts FOLDER')
  process.exit(2)
}
const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as { version: string }
const entries: Entries = new Map([
  ...people,
  ...program(process.execPath, NODE),
  ...PROGRAMS.flatMap((file) => [...program(file, file)]),
  ...python(),
  ...application(root, ...APPS),
  ...FOLDERS.flatMap((folder) => [...tree(path.join(root, folder), path.join('/app', folder), isWanted)]),
  ['/app/package.json', { text: `${JSON.stringify({ name: 'hivemind', version, type: 'module' })}\n` }],
  ['/data', { folder: 0o777 }],
])
const name = `dev.local/hivemind/service:${contentHash(entries).slice(0, 12)}`
await writeImage(path.join(out, 'service.tar'), {
  name,
  entries,
  entrypoint: [NODE, '/app/apps/api/dist/main.js'],
  env: [
    'PATH=/usr/local/bin:/usr/bin',
    'HOME=/tmp',
    'NODE_ENV=production',
    'HIVEMIND_DATA_DIR=/data',
    'MALLOC_ARENA_MAX=2',
  ],
  user: '65532:65532',
  workdir: '/tmp',
})
console.log(JSON.stringify({ service: name }))
