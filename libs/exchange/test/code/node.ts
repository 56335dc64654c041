/** A node of the tests, as a process. Argument: its options as JSON, with `kind`. Reports its address. */
import { fileURLToPath } from 'node:url'
import { Backend, type BackendOptions, Edge, type EdgeOptions, loadMerges } from '../../src/index.ts'

const options = JSON.parse(process.argv[2] ?? '') as { kind: string }
const merges = await loadMerges(fileURLToPath(new URL('./merges.ts', import.meta.url)))
const node =
  options.kind === 'backend'
    ? await Backend.start({ ...(options as unknown as BackendOptions), merges })
    : await Edge.start({ ...(options as unknown as EdgeOptions), merges })
process.send?.(node.address)
process.on('disconnect', () => process.exit())
