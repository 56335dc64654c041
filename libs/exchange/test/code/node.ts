/** A node of the tests, as a process. Argument: its options as JSON, with `kind`. Reports its address. */
import { Backend, type BackendOptions, Edge, type EdgeOptions } from '../../src/index.ts'

const options = JSON.parse(process.argv[2] ?? '') as { kind: string }
const node =
  options.kind === 'backend'
    ? await Backend.start(options as unknown as BackendOptions)
    : await Edge.start(options as unknown as EdgeOptions)
process.send?.(node.address)
process.on('disconnect', () => process.exit())
