/**
 * A chain of five nodes that do nothing, in the Node-RED that the edge agent embeds: runtime only, flow from memory.
 * Argument: messages. Prints one line of JSON with the CPU time and the number of node calls.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const require = createRequire(new URL('../../../apps/edge-agent/package.json', import.meta.url))
const runtime = require('@node-red/runtime')
const util = require('@node-red/util')

const CHAIN = 5
const messages = Number(process.argv[2])
const userDir = mkdtempSync(path.join(tmpdir(), 'hivemind-bench-'))

const flow = [
  { id: 'tab', type: 'tab', label: 'chain' },
  ...Array.from({ length: CHAIN }, (_, index) => ({
    id: `n${index}`,
    type: 'bench-pass',
    z: 'tab',
    last: index === CHAIN - 1,
    wires: index === CHAIN - 1 ? [] : [[`n${index + 1}`]],
  })),
]

let first
let waiting = 0
let reached = () => {}
const bench = {
  made: (node, { id }) => {
    if (id === 'n0') first = node
  },
  ended: () => {
    waiting -= 1
    if (waiting === 0) reached()
  },
}

const nothing = async () => {}
const empty = async () => ({})
const settings = {
  userDir,
  httpAdminRoot: false,
  httpNodeRoot: false,
  nodesDir: [fileURLToPath(new URL('./nodes', import.meta.url))],
  storageModule: {
    ...{ init: nothing, saveFlows: nothing, saveCredentials: nothing },
    ...{ saveSettings: nothing, saveSessions: nothing },
    ...{ getCredentials: empty, getSettings: empty, getSessions: empty },
    getFlows: async () => flow,
    getLibraryEntry: async () => [],
    saveLibraryEntry: nothing,
  },
  telemetry: { enabled: false, updateNotification: false },
  externalModules: { autoInstall: false, palette: { allowInstall: false }, modules: { allowInstall: false } },
  logging: { console: { level: 'off', metrics: false, audit: false } },
  bench,
}

/** Sends messages in batches, as items come: the queue of the runtime stays short. */
async function run(count) {
  for (let sent = 0; sent < count; sent += 100) {
    const batch = Math.min(100, count - sent)
    const over = new Promise((resolve) => {
      reached = resolve
    })
    waiting = batch
    for (let index = 0; index < batch; index++) first.receive({ payload: index })
    await over
  }
}

try {
  util.init(settings)
  runtime.init(settings)
  const started = new Promise((resolve) => util.events.once('flows:started', resolve))
  await runtime.start()
  await started
  await run(Math.ceil(messages / 10))
  const before = process.cpuUsage()
  await run(messages)
  const { user, system } = process.cpuUsage(before)
  console.log(JSON.stringify({ cpuS: (user + system) / 1e6, tasks: messages * CHAIN }))
} finally {
  rmSync(userDir, { recursive: true, force: true })
}
process.exit(0)
