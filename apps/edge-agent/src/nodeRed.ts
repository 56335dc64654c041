/**
 * Node-RED as a library: its runtime, without editor, admin API, core nodes or anything that listens. It loads the
 * generated flow from memory and makes the four node types of `apps/edge-agent/nodes`.
 */
import { fileURLToPath } from 'node:url'
import type { NodeRedNode } from '@hivemind/synthesis'
import runtime from '@node-red/runtime'
import util from '@node-red/util'
import type { Device, FlowMessage } from './device.ts'

/** Node-RED's level for errors; a lower number is graver. */
const ERROR_LEVEL = 20
const START_LIMIT_MS = 30_000

/** A node as Node-RED makes it. */
interface RedNode {
  send(message: FlowMessage): void
  wires: string[][]
}

/** What the node files find as `RED.settings.hivemind`. */
interface Bridge {
  addNode(type: string, node: RedNode, config: { task: string }): void
  onMessage(type: string, task: string, message: FlowMessage, done: (error?: Error) => void): void
}

/** Starts the flow; resolves when every node of it exists. Rejects with what Node-RED reports. */
export async function startFlow(flow: NodeRedNode[], userDir: string, device: Device): Promise<void> {
  const errors: string[] = []
  const settings = {
    userDir,
    httpAdminRoot: false,
    httpNodeRoot: false,
    nodesDir: [fileURLToPath(new URL('../nodes', import.meta.url))],
    storageModule: memoryStorage(flow),
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
          const text = entry.msg instanceof Error ? entry.msg.message : String(entry.msg)
          errors.push(text)
          console.error(`Node-RED: ${text}`)
        },
      },
    },
    hivemind: bridge(device),
  }
  util.init(settings)
  runtime.init(settings)
  const started = new Promise<void>((resolve, reject) => {
    const late = setTimeout(
      () => reject(new Error(`Node-RED did not start the flow within ${START_LIMIT_MS / 1000} s.`)),
      START_LIMIT_MS,
    )
    util.events.once('flows:started', () => {
      clearTimeout(late)
      resolve()
    })
  })
  await runtime.start()
  await started
  const missing = flow.filter(({ type, task }) => type !== 'tab' && !device.hasNode(type, String(task ?? '')))
  if (missing.length > 0)
    throw new Error(
      `Node-RED did not make ${missing.map(({ type, name }) => `${type} '${name}'`).join(', ')}. ${errors.join(' ')}`.trim(),
    )
}

function bridge(device: Device): Bridge {
  return {
    addNode: (type, node, { task }) =>
      device.addNode(type, task, {
        send: (message) => node.send(message),
        fanOut: node.wires[0]?.length ?? 0,
      }),
    onMessage: (type, task, message, done) => {
      const work =
        type === 'hivemind-join'
          ? Promise.resolve(device.onJoin(task, message))
          : type === 'hivemind-task'
            ? device.onTask(task, message)
            : device.onOut(task, message)
      work.then(() => done(), done)
    },
  }
}

/** Node-RED's storage interface, holding one flow and forgetting the rest. */
function memoryStorage(flow: NodeRedNode[]): Record<string, unknown> {
  const nothing = async (): Promise<void> => {}
  const empty = async (): Promise<Record<string, unknown>> => ({})
  return {
    init: nothing,
    getFlows: async () => flow,
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
