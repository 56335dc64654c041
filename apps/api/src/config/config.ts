/** All that can be set from outside, read once. */
import { existsSync, readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { type DeviceAddress, type OtherBroker, TARGET_KINDS, type TargetKind } from '@hivemind/deploy'
import type { RedisStoreOptions } from '@hivemind/store'
import { type SandboxMode, sandboxModeIn } from '@hivemind/task-runner'
import { StartError } from '../common/start-error.ts'
import { type TraceSettings, traceSettings } from '../traces/trace-settings.ts'
import { brokerOf, dialInOf } from './devices.ts'
import { redisOf } from './store.ts'

export interface Config {
  version: string
  /** Folder of this installation. */
  root: string
  host: string
  /** 0: any free one. */
  port: number
  dataDir: string
  /** Where backups of the data folder are kept. */
  backupDir: string
  examplesDir: string
  /** The built web app. */
  webDir: string
  /** A PostgreSQL server; the embedded database when absent. */
  databaseUrl?: string
  /** A Redis server or cluster that keeps the store; the data folder when absent. */
  redis?: RedisStoreOptions
  password?: string
  /** Addresses and networks of proxies whose X-Forwarded headers are believed. */
  trustedProxies: string[]
  /** Deployments go on when the service stops, so that the next one takes them up again. */
  keepDeployments: boolean
  /** Waits while another service uses the data folder, and takes over when that ends. */
  standBy: boolean
  /** The pod of a cluster in which the service runs, which is marked as active or standing by. */
  pod?: string
  /** Its namespace. */
  namespace?: string
  /** Time in which a service that ended can come back to its deployments, in s; then their processes end by themselves. */
  leaseSeconds: number
  /** Where devices of other machines dial in; none of them can when absent. */
  dialIn?: DeviceAddress
  /** Another MQTT broker than the embedded one, with the service's own user there. */
  broker?: OtherBroker
  /** Runs that are under way at once; others wait. */
  maxRuns: number
  /** Processes of this machine that all deployments may have; as many as its memory suffices for when absent. */
  maxProcesses?: number
  /** Where tasks in the cloud run; the target reads more of the environment. */
  target: TargetKind
  /** Images that run functions on clusters, where a target names none. */
  images?: { node: string; python: string }
  /** File of the key that seals kubeconfigs; made with the first. */
  secretKeyFile: string
  /** The folder of the project that has the fabric's tools, and the one of its builds; the usual ones when absent. */
  fabric?: { project: string; builds: string }
  /** Where the traces of runs go. */
  traces: TraceSettings
  /** Whether task code runs in a sandbox. It is required where others than this machine reach the service. */
  sandbox: SandboxMode
  /** Largest body of a request, in bytes. */
  bodyLimit: number
  /** Requests of one address in 10 s, where others than this machine reach the service: a busy screen makes a tenth. */
  maxRequests: number
  /** Longest time that the check of a text, and the estimate of a placement, may take, in ms. */
  computingLimitsMs: { check: number; estimate: number }
  /** Time in which a whole request must have come, in ms. */
  requestTimeoutMs: number
}

const MAX_LEASE_SECONDS = 86_400
/** Runs at once, where the settings do not say. */
const MAX_RUNS = 16

export const CONFIG = Symbol('config')

export const HELP = `The HiveMind service.

  --port N        port to listen on (PORT; 4310)
  --host ADDRESS  address to listen on (HOST; 127.0.0.1); any other than loopback needs HIVEMIND_PASSWORD
  --data-dir DIR  where projects and the embedded database live (HIVEMIND_DATA_DIR; .data)
  --keep-deployments  deployments and runs go on when the service stops, and the next service takes them up
  --stand-by      waits while another service uses the data folder, and takes over when that ends

DATABASE_URL names a PostgreSQL server to use instead of the embedded database. HIVEMIND_STORE_URL names a Redis server
or cluster that keeps the store instead of the data folder, HIVEMIND_STORE_REPLICAS how many of its replicas must have a
write (0), and HIVEMIND_STORE_CA a file with the certificate of its authority, for TLS. HIVEMIND_EXAMPLES_DIR and
HIVEMIND_WEB_DIR name the folders of the examples and of the built web app, HIVEMIND_BACKUP_DIR that of the backups
(backups, in the data folder). HIVEMIND_TRUSTED_PROXIES
are the addresses of proxies in front. HIVEMIND_LEASE_SECONDS is how long deployments
go on without a service (60). HIVEMIND_DEVICES_HOST is the name or address at which devices of
other machines dial in with TLS, with a port after a colon where that is another one (none can dial in without it), and
HIVEMIND_DEVICES_PORT the port of this machine for them (any free one, which stays). HIVEMIND_BROKER_URL names an MQTT
broker to use instead of the embedded one, as HIVEMIND_BROKER_USER with HIVEMIND_BROKER_PASSWORD, and HIVEMIND_BROKER_CA
a file with the certificate of its authority. HIVEMIND_MAX_RUNS is how many runs are under way
at once (16; others wait), and HIVEMIND_MAX_PROCESSES how many processes of this machine all deployments may have (as many as its
memory suffices for). HIVEMIND_TARGET says where tasks in the cloud run: local
(this machine) or knative, which docs/knative.md tells how to set up. HIVEMIND_SECRET_KEY_FILE is the file of the key that
seals kubeconfigs of targets (secret.key, in the data folder; made with the first). OTEL_EXPORTER_OTLP_ENDPOINT is the URL of an
OpenTelemetry collector that gets a trace of each run (docs/tracing.md). HIVEMIND_SANDBOX says whether task code runs in a sandbox:
auto (where this machine can; the default on loopback), required (nothing runs without one; the default elsewhere) or off.`

/** The folder of the repository: the nearest one above whose package is `hivemind`. */
function rootOf(from: string): { root: string; version: string } {
  for (let folder = from; ; folder = path.dirname(folder)) {
    const file = path.join(folder, 'package.json')
    if (existsSync(file)) {
      const found = JSON.parse(readFileSync(file, 'utf8')) as { name?: string; version?: string }
      if (found.name === 'hivemind') return { root: folder, version: found.version ?? '0.0.0' }
    }
    if (folder === path.dirname(folder)) return { root: process.cwd(), version: '0.0.0' }
  }
}

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host)
}

/** Reads addresses and networks such as `10.0.0.0/8`, separated by commas. Throws `StartError`. */
function proxiesIn(text: string): string[] {
  const proxies = text.split(',').flatMap((part) => part.trim() || [])
  for (const proxy of proxies) {
    const [address = '', prefix, more] = proxy.split('/')
    const bits = isIP(address) === 6 ? 128 : 32
    const fits = prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= bits)
    if (isIP(address) === 0 || !fits || more !== undefined)
      throw new StartError(
        `HIVEMIND_TRUSTED_PROXIES names '${proxy}': give addresses or networks such as 127.0.0.1 or 10.0.0.0/8, separated by commas.`,
      )
  }
  return proxies
}

/** Reads flags (which win) and environment. Returns `'help'` when help is asked for; throws `StartError`. */
export function readConfig(argv: string[], env: NodeJS.ProcessEnv): Config | 'help' {
  let flags: {
    port?: string
    host?: string
    'data-dir'?: string
    'keep-deployments'?: boolean
    'stand-by'?: boolean
    help?: boolean
  }
  try {
    flags = parseArgs({
      args: argv,
      options: {
        port: { type: 'string' },
        host: { type: 'string' },
        'data-dir': { type: 'string' },
        'keep-deployments': { type: 'boolean' },
        'stand-by': { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    }).values
  } catch (error) {
    throw new StartError(`${(error as Error).message.split('.')[0]}. See --help.`, 2)
  }
  if (flags.help) return 'help'
  const { root, version } = rootOf(path.dirname(fileURLToPath(import.meta.url)))
  const set = (value: string | undefined) => (value === undefined || value === '' ? undefined : value)
  const portText = flags.port ?? set(env.PORT) ?? '4310'
  const port = Number(portText)
  if (!/^\d+$/.test(portText) || port > 65_535)
    throw new StartError(`'${portText}' is no port: give a number from 1 to 65535.`, flags.port ? 2 : 3)
  const host = flags.host ?? set(env.HOST) ?? '127.0.0.1'
  const password = set(env.HIVEMIND_PASSWORD)
  if (!isLoopback(host) && !password)
    throw new StartError(
      `To listen on ${host}, which others can reach, set a password in HIVEMIND_PASSWORD; without one HiveMind listens on 127.0.0.1 only.`,
    )
  const leaseText = set(env.HIVEMIND_LEASE_SECONDS) ?? '60'
  const leaseSeconds = Number(leaseText)
  if (!(leaseSeconds >= 1 && leaseSeconds <= MAX_LEASE_SECONDS))
    throw new StartError(
      `HIVEMIND_LEASE_SECONDS is '${leaseText}': give a number of seconds from 1 to ${MAX_LEASE_SECONDS}.`,
    )
  const folder = (given: string | undefined, fallback: string) =>
    path.resolve(given ?? path.join(root, fallback))
  const dataDir = folder(flags['data-dir'] ?? set(env.HIVEMIND_DATA_DIR), '.data')
  return {
    version,
    root,
    host,
    port,
    password,
    trustedProxies: proxiesIn(set(env.HIVEMIND_TRUSTED_PROXIES) ?? ''),
    databaseUrl: set(env.DATABASE_URL),
    ...redisOf({
      url: set(env.HIVEMIND_STORE_URL),
      replicas: set(env.HIVEMIND_STORE_REPLICAS),
      caFile: set(env.HIVEMIND_STORE_CA),
    }),
    dataDir,
    backupDir: path.resolve(set(env.HIVEMIND_BACKUP_DIR) ?? path.join(dataDir, 'backups')),
    examplesDir: folder(set(env.HIVEMIND_EXAMPLES_DIR), 'examples'),
    webDir: folder(set(env.HIVEMIND_WEB_DIR), 'apps/web/dist'),
    keepDeployments: flags['keep-deployments'] === true,
    standBy: flags['stand-by'] === true,
    pod: set(env.HIVEMIND_POD),
    namespace: set(env.HIVEMIND_NAMESPACE),
    leaseSeconds,
    ...dialInOf(set(env.HIVEMIND_DEVICES_HOST), set(env.HIVEMIND_DEVICES_PORT)),
    ...brokerOf({
      url: set(env.HIVEMIND_BROKER_URL),
      username: set(env.HIVEMIND_BROKER_USER),
      password: set(env.HIVEMIND_BROKER_PASSWORD),
      caFile: set(env.HIVEMIND_BROKER_CA),
    }),
    maxRuns: countOf('HIVEMIND_MAX_RUNS', set(env.HIVEMIND_MAX_RUNS)) ?? MAX_RUNS,
    ...processesOf(countOf('HIVEMIND_MAX_PROCESSES', set(env.HIVEMIND_MAX_PROCESSES))),
    target: targetOf(set(env.HIVEMIND_TARGET)),
    secretKeyFile: path.resolve(set(env.HIVEMIND_SECRET_KEY_FILE) ?? path.join(dataDir, 'secret.key')),
    ...imagesOf(set(env.HIVEMIND_IMAGE_NODE), set(env.HIVEMIND_IMAGE_PYTHON)),
    traces: traceSettings(env),
    sandbox: sandboxOf(host, env),
    bodyLimit: 8_000_000,
    maxRequests: 2_000,
    computingLimitsMs: { check: 20_000, estimate: 30_000 },
    requestTimeoutMs: 120_000,
  }
}

/** A whole number from 1 on. Throws `StartError`. */
function countOf(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const count = Number(text)
  if (!/^\d+$/.test(text) || count < 1 || !Number.isSafeInteger(count))
    throw new StartError(`${name} is '${text}': give a whole number from 1 on.`)
  return count
}

const processesOf = (maxProcesses: number | undefined): Pick<Config, 'maxProcesses'> =>
  maxProcesses === undefined ? {} : { maxProcesses }

const imagesOf = (node: string | undefined, python: string | undefined): Pick<Config, 'images'> =>
  node === undefined || python === undefined ? {} : { images: { node, python } }

/** Throws `StartError`. */
function targetOf(kind: string = 'local'): TargetKind {
  const known = TARGET_KINDS.find((each) => each === kind)
  if (!known) throw new StartError(`HIVEMIND_TARGET is '${kind}': give one of ${TARGET_KINDS.join(', ')}.`)
  return known
}

/** The setting, or what the host that is listened on asks for. Throws `StartError`. */
function sandboxOf(host: string, env: NodeJS.ProcessEnv): SandboxMode {
  try {
    const mode = sandboxModeIn(env)
    return mode === 'auto' && !isLoopback(host) ? 'required' : mode
  } catch (error) {
    throw new StartError((error as Error).message)
  }
}
