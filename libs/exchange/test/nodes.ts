/** An exchange of processes: a backend and edge nodes, which can be killed and started again where they were. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { keptPort } from '../../store/test/kept-port.ts'
import type { Address } from '../src/index.ts'

const PROGRAM = new URL('./code/node.ts', import.meta.url)

type NodeOptions = { edge?: object } & Record<string, unknown>

/** A node that runs in a process of its own. */
export class NodeProcess {
  readonly #options: NodeOptions
  #child: ChildProcess | null = null
  address: Address = ''
  /** Where the edge node listens that is in the process of a backend. */
  edgeAddress: Address = ''

  constructor(options: NodeOptions) {
    this.#options = options
  }

  /** Starts the process, at the same ports as before. */
  async start(): Promise<void> {
    const portOf = async (address: Address) => Number(address.split(':')[1] ?? (await keptPort()))
    const { edge } = this.#options
    const options = {
      ...this.#options,
      port: await portOf(this.address),
      ...(edge !== undefined && { edge: { ...edge, port: await portOf(this.edgeAddress) } }),
    }
    this.#child = fork(PROGRAM, [JSON.stringify(options)])
    const [[address, edgeAddress = '']] = await Promise.race([
      once(this.#child, 'message'),
      once(this.#child, 'exit').then(([code]) => Promise.reject(new Error(`The node ended with ${code}.`))),
    ])
    this.address = address
    this.edgeAddress = edgeAddress
  }

  async kill(): Promise<void> {
    const child = this.#child
    this.#child = null
    if (!child) return
    const exited = once(child, 'exit')
    child.kill('SIGKILL')
    await exited
  }

  /** Stops the process where it is; it goes on after `resume`. */
  pause(): void {
    this.#child?.kill('SIGSTOP')
  }

  resume(): void {
    this.#child?.kill('SIGCONT')
  }
}

/** A backend and edge nodes. */
export interface Exchange {
  backend: NodeProcess
  edges: NodeProcess[]
  addresses: Address[]
  stop(): Promise<void>
}

/** How an exchange is arranged. */
export interface Arrangement {
  /** The address by which an edge node reaches the backend. */
  between?: (backend: Address) => Promise<Address>
  /** Whether the first edge node is in the process of the backend. */
  isJoined?: boolean
}

/** Starts a backend and some edge nodes, with folders of their own. */
export async function startExchange(
  edges: number,
  options: Record<string, unknown> = {},
  { between = async (backend) => backend, isJoined = false }: Arrangement = {},
): Promise<Exchange> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'hivemind-exchange-'))
  const edgeOptions = (n: number) => ({
    name: `edge-${n}`,
    folder: path.join(folder, `edge-${n}`),
    ...options,
  })
  const backend = new NodeProcess({
    kind: 'backend',
    folder: path.join(folder, 'backend'),
    ...options,
    ...(isJoined && { edge: edgeOptions(0) }),
  })
  await backend.start()
  const separate = Array.from({ length: edges }, (_, n) => n).slice(isJoined ? 1 : 0)
  const nodes = await Promise.all(
    separate.map(async (n) => {
      const address = await between(backend.address)
      return new NodeProcess({ kind: 'edge', backend: address, ...edgeOptions(n) })
    }),
  )
  await Promise.all(nodes.map((node) => node.start()))
  return {
    backend,
    edges: isJoined ? [backend, ...nodes] : nodes,
    addresses: [...(isJoined ? [backend.edgeAddress] : []), ...nodes.map((node) => node.address)],
    async stop() {
      for (const node of [...nodes, backend]) await node.kill()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
