/**
 * `node infra/images/functions.ts FOLDER`: writes the images that run functions on a cluster, `function-node.tar` and
 * `function-python.tar`, and prints their names as JSON. Their tags change with their content.
 */
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { application, type Entries } from '@hivemind/packaging'
import { contentHash, writeImage } from './archive.ts'
import { people, program, python } from './contents.ts'

const root = path.resolve(fileURLToPath(new URL('../../', import.meta.url)))
const USER = '65532:65532'
const NODE = '/usr/local/bin/node'
const HOST = 'apps/function-host'

const [out] = process.argv.slice(2)
if (!out) {
  console.error('Usage: node infra/images/functions.ts FOLDER')
  process.exit(2)
}
const node: Entries = new Map([...people, ...program(process.execPath, NODE), ...application(root, HOST)])
const images = { node, python: new Map([...node, ...python()]) }
const names: Record<string, string> = {}
for (const [runtime, entries] of Object.entries(images)) {
  const name = `dev.local/hivemind/function-${runtime}:${contentHash(entries).slice(0, 12)}`
  await writeImage(path.join(out, `function-${runtime}.tar`), {
    name,
    entries,
    entrypoint: [NODE, path.join('/app', HOST, 'bin/hivemind-function-host.mjs')],
    env: ['PATH=/usr/local/bin:/usr/bin', 'HOME=/tmp', 'NODE_ENV=production'],
    user: USER,
    workdir: '/tmp',
  })
  names[runtime] = name
}
console.log(JSON.stringify(names))
