/**
 * Node-RED as a library: its runtime, without editor, admin API, core nodes or anything that listens. One runtime has the
 * flows of all deployments, and a change restarts that of its deployment alone.
 */
import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { NodeRedNode } from '@hivemind/synthesis'
import runtime from '@node-red/runtime'
import util from '@node-red/util'
import { exchangeNodes } from './exchange-nodes.ts'
import type { FlowMessage } from './messages.ts'

/** Node-RED's level for errors; a lower number is graver. */
const ERROR_LEVEL = 20
const START_LIMIT_MS = 60_000
const TASK_NODE = 'hivemind-task'
const EXCHANGE_TYPES = ['hivemind-exchange', 'hivemind-subscribe', 'hivemind-publish', 'hivemind-object']
const KNOWN_TYPES = new Set(['tab', 'group', 'comment', TASK_NODE, ...EXCHANGE_TYPES])

/** A task's node as Node-RED makes it. */
interface RedNode {
  send(message: FlowMessage): void
  on(event: 'close', listener: () => void): void
}

interface TaskNodeConfig {
  task: string
  deployment: string
}

/** Takes messages that reach a task's node. */
export type OnArrival = (deployment: string, task: string, message: FlowMessage) => void

/** The flows of an agent. There is one per process, as Node-RED's runtime is. */
export class FlowHost {
  readonly #onArrival: OnArrival
  readonly #log: (text: string) => void
  readonly #flows = new Map<string, NodeRedNode[]>()
  readonly #nodes = new Map<string, RedNode>()
  #last: Promise<unknown> = Promise.resolve()

  private constructor(onArrival: OnArrival, log: (text: string) => void) {
    this.#onArrival = onArrival
    this.#log = log
  }

  /** Starts Node-RED without a flow. `userDir`: a folder for it alone. */
  static async start(userDir: string, onArrival: OnArrival, log: (text: string) => void): Promise<FlowHost> {
    const host = new FlowHost(onArrival, log)
    // Without one, Node-RED tells of an error.
    await writeFile(path.join(userDir, 'package.json'), JSON.stringify({ private: true, dependencies: {} }))
    const settings = host.#settings(userDir)
    util.init(settings)
    runtime.init(settings)
    await host.#started(() => runtime.start())
    return host
  }

  /** Loads the flow of a deployment in place of its former one. Rejects when it has nodes of unknown types. */
  load(deployment: string, flow: NodeRedNode[]): Promise<void> {
    return this.#inTurn(async () => {
      const unknown = new Set(flow.map(({ type }) => type).filter((type) => !known(type)))
      if (unknown.size > 0)
        throw new Error(`Its flow has nodes that this agent does not have: ${[...unknown].join(', ')}.`)
      const former = this.#flows.get(deployment)
      this.#flows.set(deployment, named(deployment, flow))
      try {
        await this.#deploy()
        const missing = flow.filter(
          ({ type, task }) => type === TASK_NODE && !this.#nodes.has(idOf(deployment, String(task))),
        )
        if (missing.length > 0)
          throw new Error(`Node-RED did not make the nodes of ${missing.map(({ task }) => task).join(', ')}.`)
      } catch (error) {
        if (former) this.#flows.set(deployment, former)
        else this.#flows.delete(deployment)
        throw error
      }
    })
  }

  /** Removes the flow of a deployment. */
  unload(deployment: string): Promise<void> {
    return this.#inTurn(async () => {
      if (this.#flows.delete(deployment)) await this.#deploy()
    })
  }

  /** Lets a task's node send a message on its wires. Throws an `Error` when there is no such node. */
  send(deployment: string, task: string, message: FlowMessage): void {
    const node = this.#nodes.get(idOf(deployment, task))
    if (!node) throw new Error(`The flow has no node for the task '${task}'.`)
    node.send(message)
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(work)
    this.#last = turn.catch(() => {})
    return turn
  }

  #deploy(): Promise<void> {
    const flows = [...this.#flows.values()].flat()
    return this.#started(() => runtime.flows.setFlows({ flows: { flows }, deploymentType: 'flows' }))
  }

  async #started(start: () => Promise<unknown>): Promise<void> {
    let late: NodeJS.Timeout | undefined
    const started = new Promise<void>((resolve, reject) => {
      const limit = new Error(`Node-RED did not start the flow within ${START_LIMIT_MS / 1000} s.`)
      late = setTimeout(() => reject(limit), START_LIMIT_MS)
      util.events.once('flows:started', () => resolve())
    })
    try {
      await Promise.all([start(), started])
    } finally {
      clearTimeout(late)
    }
  }

  #settings(userDir: string): Record<string, unknown> {
    return {
      userDir,
      httpAdminRoot: false,
      httpNodeRoot: false,
      nodesDir: [fileURLToPath(new URL('../flow-nodes', import.meta.url))],
      storageModule: emptyStorage(),
      telemetry: { enabled: false, updateNotification: false },
      externalModules: {
        autoInstall: false,
        palette: { allowInstall: false },
        modules: { allowInstall: false },
      },
      logging: {
        agent: {
          level: 'error',
          metrics: false,
          audit: false,
          handler: () => (entry: { level: number; msg: unknown }) => {
            if (entry.level > ERROR_LEVEL) return
            this.#log(`Node-RED: ${entry.msg instanceof Error ? entry.msg.message : String(entry.msg)}`)
          },
        },
      },
      /** What the node files find as `RED.settings.hivemind`. */
      hivemind: {
        addNode: (node: RedNode, { deployment, task }: TaskNodeConfig) => {
          const id = idOf(deployment, task)
          this.#nodes.set(id, node)
          node.on('close', () => {
            if (this.#nodes.get(id) === node) this.#nodes.delete(id)
          })
        },
        onMessage: ({ deployment, task }: TaskNodeConfig, message: FlowMessage) =>
          this.#onArrival(deployment, task, message),
        exchange: exchangeNodes,
      },
    }
  }
}

const idOf = (deployment: string, task: string): string => `${deployment} ${task}`

const known = (type: string): boolean => KNOWN_TYPES.has(type)

/**
 * The flow of a deployment with ids of its own, so that several of one workflow do not meet. Another flow has other ids
 * throughout: Node-RED fails when it has to rewire a node whose former neighbour is gone.
 */
function named(deployment: string, flow: NodeRedNode[]): NodeRedNode[] {
  const content = JSON.stringify(flow)
  const rename = (id: string): string =>
    createHash('sha256').update(`${deployment} ${id} ${content}`).digest('hex').slice(0, 16)
  return flow.map((node) => ({
    ...node,
    id: rename(node.id),
    ...(node.z === undefined ? {} : { z: rename(node.z) }),
    ...(typeof node.exchange === 'string' ? { exchange: rename(node.exchange) } : {}),
    ...(node.wires ? { wires: node.wires.map((targets) => targets.map(rename)) } : {}),
    ...(node.type === TASK_NODE ? { deployment } : {}),
  }))
}

/** Node-RED's storage interface, without anything in it. */
function emptyStorage(): Record<string, unknown> {
  const nothing = async (): Promise<void> => {}
  const empty = async (): Promise<Record<string, unknown>> => ({})
  return {
    init: nothing,
    getFlows: async () => [],
    saveFlows: nothing,
    getCredentials: empty,
    saveCredentials: nothing,
    getSettings: empty,
    saveSettings: nothing,
    getSessions: empty,
    saveSessions: nothing,
    getLibraryEntry: async () => [],
    saveLibraryEntry: nothing,
  }
}
