// `npm run licences`: the licence of every package in the lock file is one that HiveMind may use. Needs no network.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { auditLicences } from './lib/licences.mjs'
import { root } from './lib/run.mjs'

const lock = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8'))
const { count, refused } = auditLicences(lock)
for (const each of refused) console.error(each)
if (refused.length > 0) {
  console.error(
    `${refused.length} of ${count} packages have a licence that is not on the list of scripts/lib/licences.mjs: replace the package, or add the licence once it has been judged.`,
  )
  process.exit(1)
}
console.log(`${count} packages have licences that are on the list.`)
