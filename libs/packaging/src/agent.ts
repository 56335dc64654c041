/** The agent of devices as an archive, so that a device needs no copy of HiveMind. */
import { existsSync } from 'node:fs'
import path from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream'
import { createGzip } from 'node:zlib'
import { pack } from 'tar-stream'
import { type Entries, writeEntries } from './archive.ts'
import { application } from './packages.ts'

const AGENT = 'apps/edge-agent'
/** What an edge node starts for each of its functions. */
const FUNCTION_HOST = 'apps/function-host'
const FOLDER = '/hivemind-agent'

const START = `#!/bin/sh
# Starts the agent of this device: ./start --config CREDENTIAL.json
here=$(cd "$(dirname "$0")" && pwd)
node=\${NODE:-node}
if ! "$node" -e 'const [a, b] = process.versions.node.split("."); process.exit(a > 24 || (a == 24 && b >= 5) ? 0 : 1)' 2> /dev/null; then
  echo "The agent needs Node.js 24.5 or newer: install it as 'node', or name its program in the variable NODE." >&2
  exit 3
fi
exec "$node" "$here/${AGENT}/bin/hivemind-edge-agent.mjs" "$@"
`

/**
 * The agent with all that it needs but Node.js: a `tar.gz` of a folder `hivemind-agent` with a program `start`. Packages with machine code are
 * those of this machine's architecture. The stream fails when a file cannot be read. Throws an `Error` that names a package that is not there.
 * @param root folder of the installation
 */
export function agentArchive(root: string): Readable {
  const installation = path.resolve(root)
  if (!existsSync(path.join(installation, AGENT)))
    throw new Error(
      `There is no ${AGENT} in ${installation}: start the service from a whole copy of HiveMind.`,
    )
  const entries: Entries = new Map()
  for (const [at, entry] of application(installation, AGENT, FUNCTION_HOST))
    entries.set(at.replace(/^\/app/, FOLDER), entry)
  entries.set(`${FOLDER}/start`, { text: START, mode: 0o755 })
  const archive = pack()
  writeEntries(archive, entries).then(
    () => archive.finalize(),
    (error: Error) => archive.destroy(error),
  )
  const zipped = createGzip()
  pipeline(archive, zipped, () => {})
  return zipped
}
