/** An exchange of processes: a backend and edge nodes, which can be killed and started again where they were. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { keptPort } from '../../store/test/kept-port.ts'
import type { Address } from '../src/index.ts'

const PROGRAM = new URL('./code/node.ts', import.meta.url)

/** A node that runs in a process of its own. */
export class NodeProcess {
  readonly #options: Record<string, unknown>
  #child: ChildProcess | null = null
  address: Address = ''

  constructor(options: Record<string, unknown>) {
    this.#options = options
  }

  /** Starts the process, at the same port as before. */
  async start(): Promise<void> {
    const port = Number(this.address.split(':')[1] ?? (await keptPort()))
    this.#child = fork(PROGRAM, [JSON.stringify({ ...this.#options, port })])
    const [address] = await Promise.race([
      once(this.#child, 'message'),
      once(this.#child, 'exit').then(([code]) => Promise.reject(new Error(`The node ended with ${code}.`))),
    ])
    this.address = address
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

/** Starts a backend and some edge nodes, with folders of their own. `between` gives the address by which each edge node reaches the backend. */
export async function startExchange(
  edges: number,
  options: Record<string, unknown> = {},
  between = async (backend: Address): Promise<Address> => backend,
): Promise<Exchange> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'hivemind-exchange-'))
  const backend = new NodeProcess({ kind: 'backend', folder: path.join(folder, 'backend'), ...options })
  await backend.start()
  const addresses = await Promise.all(Array.from({ length: edges }, () => between(backend.address)))
  const nodes = addresses.map(
    (address, n) =>
      new NodeProcess({
        kind: 'edge',
        name: `edge-${n}`,
        backend: address,
        folder: path.join(folder, `edge-${n}`),
        ...options,
      }),
  )
  await Promise.all(nodes.map((node) => node.start()))
  return {
    backend,
    edges: nodes,
    addresses: nodes.map((node) => node.address),
    async stop() {
      for (const node of [...nodes, backend]) await node.kill()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
