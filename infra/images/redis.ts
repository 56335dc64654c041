/**
 * `node infra/images/redis.ts FOLDER`: writes an image of this machine's Redis for the chart's Redis Cluster, `redis.tar`, and prints its
 * name as JSON. The tag changes with the content. Needs redis-server 7 or newer with TLS, as Debian has it.
 */
import { existsSync } from 'node:fs'
import path from 'node:path'
import type { Entries } from '@hivemind/packaging'
import { contentHash, writeImage } from './archive.ts'
import { people, program } from './contents.ts'

/** The server, and what `redis-member.sh` of the chart calls. */
const PROGRAMS = 'redis-server redis-cli sh awk cat grep head sed sleep timeout tr wc'.split(' ')

const [out] = process.argv.slice(2)
if (!out) {
  console.error('Usage: node infra/images/redis.ts FOLDER')
  process.exit(2)
}
const files = PROGRAMS.map((name) => `/usr/bin/${name}`)
const missing = files.filter((file) => !existsSync(file))
if (missing.length > 0) {
  console.error(`There is no ${missing.join(', ')}: install redis-server with apt-get.`)
  process.exit(3)
}
const entries: Entries = new Map([
  ...people,
  ...files.flatMap((file) => [...program(file, file)]),
  ['/data', { folder: 0o777 }],
])
const name = `dev.local/hivemind/redis:${contentHash(entries).slice(0, 12)}`
await writeImage(path.join(out, 'redis.tar'), {
  name,
  entries,
  entrypoint: ['/usr/bin/redis-server'],
  env: ['PATH=/usr/bin'],
  user: '65532:65532',
  workdir: '/data',
})
console.log(JSON.stringify({ redis: name }))
