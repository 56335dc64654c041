// Type-checks every part of the tree: pure libs without Node's or the DOM's types, then the rest.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const tsc = fileURLToPath(new URL('../node_modules/typescript7/bin/tsc', import.meta.url))
let failed = 0
for (const project of ['tsconfig.pure.json', 'tsconfig.json', 'tsconfig.api.json', 'tsconfig.web.json']) {
  const { status } = spawnSync(process.execPath, [tsc, '-p', project], { cwd: root, stdio: 'inherit' })
  if (status !== 0) failed++
}
process.exit(failed === 0 ? 0 : 1)
