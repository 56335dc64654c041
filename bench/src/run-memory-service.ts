/**
 * The service of the bench `run-memory`: the API as it is built, with its HTTP, database and journal, over a target whose
 * devices are the driver's. Prints where they find it, then JSON when the run has ended. Arguments: folder for its data,
 * devices, items of each. `DATABASE_URL` as for the service.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Up } from '@hivemind/agent-protocol'
import { deviceAuthenticator, ServiceChannel, startBroker } from '@hivemind/agent-protocol/node'
import {
  anyDevices,
  type Deployment,
  type DeploymentSpec,
  type RunOptions,
  type Target,
} from '@hivemind/deploy'
import { executeRun, type FleetEvent, RunFold, type RunResult } from '@hivemind/orchestrator'
import { countBuffersAsHeap } from '@hivemind/values/node'
import { own } from './peers.ts'

const [dataDir = '', deviceCount = '', itemsPerDevice = ''] = process.argv.slice(2)
const fleet = 'bench'
const secret = 'of the bench'
const devices = anyDevices(Number(deviceCount))
const now = (): number => performance.timeOrigin + performance.now()

/** A figure of this process in MB, from Linux. */
function memoryMB(field: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync('/proc/self/status', 'utf8')
  return Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0) / 1000
}

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void
function heapMB(): number {
  collect()
  return process.memoryUsage().heapUsed / 1e6
}

countBuffersAsHeap()
const handlers = new Set<(event: FleetEvent) => void>()
const up = new Set<string>()
let whenRoom: NonNullable<RunOptions['whenRoom']> = () => undefined
const broker = await startBroker({ authenticate: deviceAuthenticator({ fleet, secret }) })
const channel = new ServiceChannel({
  openLink: broker.openLink,
  fleet,
  boot: `service-${process.pid}`,
  onMessage: (device, message: Up) => {
    for (const handler of handlers) handler({ type: 'message', device, message })
    return whenRoom()
  },
  onSession: (device) => up.add(device),
})

/** A run over the driver's devices; the same core and the same ports as on a deployment of the local target. */
async function run(spec: DeploymentSpec, options: RunOptions): Promise<RunResult> {
  const { run: id = '', onEvent, signal } = options
  const fold = new RunFold()
  whenRoom = options.whenRoom ?? whenRoom
  const outcome = await executeRun(
    spec.synthesis.plan,
    {
      now,
      after: (ms, action) => {
        const timer = setTimeout(action, ms)
        return () => clearTimeout(timer)
      },
      invoke: () => Promise.reject(new Error('The bench has no tasks in the cloud.')),
      send: (device, message) => channel.send(device, message),
      onFleet: (handler) => {
        handlers.add(handler)
        return () => handlers.delete(handler)
      },
      toServiceTime: (device, at) => channel.toServiceTime(device, at) ?? now(),
      preview: () => null,
      persist: () => {},
      newAbort: () => new AbortController() as { signal: AbortSignal; abort(): void },
    },
    {
      run: id,
      deployment: 'bench',
      devices,
      itemsPerDevice: Number(itemsPerDevice),
      ...(signal && { signal }),
      onEvent: (event) => {
        fold.apply(event)
        onEvent?.(event)
      },
    },
  )
  fold.end(outcome)
  return { ...fold.run(), spans: [] }
}

const deploymentOf = (spec: DeploymentSpec): Deployment => ({
  spec,
  record: () => ({ schema: 'hivemind.live/1', target: 'bench', group: 'bench', functions: [], agents: [] }),
  status: () => ({ state: 'ready', resources: [] }),
  run: (options = {}) => run(spec, options),
  forgetRun: () => {},
  endpoint: () => Promise.reject(new Error('The bench has no functions.')),
  logs: () => [],
  watch: () => () => {},
  undeploy: async () => {},
})

const target: Target = {
  kind: 'bench',
  place: 'nowhere',
  plan: async () => ({ changes: [], needs: [] }),
  apply: async (spec) => {
    writeFileSync(path.join(dataDir, 'plan.json'), JSON.stringify(spec.synthesis.plan))
    return deploymentOf(spec)
  },
  attach: async () => null,
  fleet: async () => [],
  enrol: async () => ({ fleet: 'bench', broker: '', values: '' }),
  removeDevice: async () => false,
  close: async () => {},
}

interface ServiceModule {
  startService(config: object, target: Target): Promise<{ url: string; close(): Promise<void> }>
}
interface ConfigModule {
  readConfig(argv: string[], env: NodeJS.ProcessEnv): object
}
const { startService } = (await import(own('../apps/api/dist/service.js'))) as ServiceModule
const { readConfig } = (await import(own('../apps/api/src/config/config.ts'))) as ConfigModule
const service = await startService(
  readConfig(['--port', '0', '--data-dir', dataDir], {
    DATABASE_URL: process.env.DATABASE_URL,
    HIVEMIND_EXAMPLES_DIR: own('peers/run-memory'),
  }),
  target,
)

console.log(JSON.stringify({ url: service.url, broker: broker.url, fleet, secret }))
process.stdin.on('data', (line) => {
  const asked = String(line).trim()
  if (asked === 'up') console.log(JSON.stringify({ up: up.size }))
  if (asked !== 'figures') return
  const { user, system } = process.cpuUsage()
  const cpuS = (user + system) / 1e6
  const figures = { cpuS, heapMB: heapMB(), rssMB: memoryMB('VmRSS'), peakMB: memoryMB('VmHWM') }
  // The peak counts from here on.
  writeFileSync('/proc/self/clear_refs', '5')
  console.log(JSON.stringify(figures))
})
process.stdin.on('end', () => process.exit(0))
