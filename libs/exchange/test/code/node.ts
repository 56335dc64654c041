/**
 * A node of the tests, as a process. Argument: its options as JSON, with `kind`; a backend may have `edge`, the options of an edge node
 * in its process. Reports its address, and that of the edge node.
 */
import { fileURLToPath } from 'node:url'
import {
  type Address,
  Backend,
  type BackendOptions,
  Edge,
  type EdgeOptions,
  loadMerges,
} from '../../src/index.ts'

const { kind, edge, ...options } = JSON.parse(process.argv[2] ?? '') as { kind: string; edge?: object }
const merges = await loadMerges(fileURLToPath(new URL('./merges.ts', import.meta.url)))
const addresses: Address[] = []
if (kind === 'backend') {
  const backend = await Backend.start({ ...(options as BackendOptions), merges })
  addresses.push(backend.address)
  if (edge) addresses.push((await Edge.start({ ...(edge as EdgeOptions), backend, merges })).address)
} else addresses.push((await Edge.start({ ...(options as EdgeOptions), merges })).address)
process.send?.(addresses)
process.on('disconnect', () => process.exit())
