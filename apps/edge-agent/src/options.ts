/** What an agent is started with: command-line options, or the same names in a JSON file. */
import { X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { isName } from '@hivemind/agent-protocol'

/** How a battery is simulated. */
export interface BatteryOptions {
  /** Full charge, in Wh. */
  capacityWh: number
  /** Power without work, and in addition for each busy core, in W. */
  idleW: number
  coreW: number
}

export interface AgentOptions {
  /** URL of the MQTT broker. */
  broker: string
  /** Certificates of authorities that are trusted beside the usual ones, each as PEM. */
  ca?: string[]
  fleet: string
  device: string
  /** Name of the device class. */
  class: string
  /** Password at the broker and the data endpoint. */
  token: string
  /** Folder of its own, for blobs, bundles and scratch files; `hivemind-DEVICE` in the present one when it is not given. */
  dir: string
  /** It ends when its standard input closes. */
  bound: boolean
  /** It ends when it has not heard from the service for so long, in seconds. */
  leaseSeconds?: number
  battery?: BatteryOptions
  position?: { x: number; y: number }
}

const USAGE =
  'Usage: hivemind-edge-agent --broker URL --fleet NAME --device ID --class NAME --token TOKEN [--dir FOLDER] [--bound] [--lease SECONDS] [--battery-wh WH [--idle-watts W] [--core-watts W]] [--position X,Y]\n' +
  'or:    hivemind-edge-agent --config FILE, a JSON file with the same names.'

/** Powers of a single-board computer, in W. */
const DEFAULT_IDLE_W = 3
const DEFAULT_CORE_W = 1.2

const flags = {
  config: { type: 'string' },
  broker: { type: 'string' },
  fleet: { type: 'string' },
  device: { type: 'string' },
  class: { type: 'string' },
  token: { type: 'string' },
  dir: { type: 'string' },
  bound: { type: 'boolean' },
  lease: { type: 'string' },
  'battery-wh': { type: 'string' },
  'idle-watts': { type: 'string' },
  'core-watts': { type: 'string' },
  position: { type: 'string' },
} as const

/** Reads and checks the options. Rejects with a sentence that names what is missing or wrong. */
export async function readOptions(args: string[]): Promise<AgentOptions> {
  let given: Record<string, unknown>
  try {
    given = parseArgs({ args, options: flags }).values
  } catch (error) {
    throw new Error(`${(error as Error).message}\n${USAGE}`)
  }
  if (typeof given.config === 'string') given = { ...(await readFileOptions(given.config)), ...given }
  const problems: string[] = []
  const text = (name: string, good: (value: string) => boolean): string => {
    const value = given[name]
    if (typeof value === 'string' && good(value)) return value
    problems.push(name)
    return ''
  }
  const number = (name: string): number | undefined => {
    if (given[name] === undefined) return undefined
    const value = Number(given[name])
    if (!(value >= 0)) problems.push(name)
    return value
  }
  const options: AgentOptions = {
    broker: text('broker', (value) => URL.canParse(value)),
    fleet: text('fleet', isName),
    device: text('device', isName),
    class: text('class', (value) => value !== ''),
    token: text('token', (value) => value !== ''),
    dir: path.resolve(
      given.dir === undefined ? `hivemind-${String(given.device)}` : text('dir', (value) => value !== ''),
    ),
    bound: given.bound === true,
  }
  if (given.ca !== undefined)
    options.ca = certificatesIn(text('ca', (value) => certificatesIn(value).length > 0))
  const lease = number('lease')
  if (lease !== undefined) options.leaseSeconds = lease
  const capacityWh = number('battery-wh')
  if (capacityWh !== undefined)
    options.battery = {
      capacityWh,
      idleW: number('idle-watts') ?? DEFAULT_IDLE_W,
      coreW: number('core-watts') ?? DEFAULT_CORE_W,
    }
  if (given.position !== undefined) {
    const [x = Number.NaN, y = Number.NaN] = String(given.position).split(',').map(Number)
    if (Number.isFinite(x) && Number.isFinite(y)) options.position = { x, y }
    else problems.push('position')
  }
  if (problems.length > 0) throw new Error(`Missing or wrong: ${problems.join(', ')}.\n${USAGE}`)
  return options
}

/** The certificates in a PEM text; none when one of them cannot be read. */
function certificatesIn(text: string): string[] {
  const parts = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []
  try {
    for (const part of parts) new X509Certificate(part)
    return parts
  } catch {
    return []
  }
}

async function readFileOptions(file: string): Promise<Record<string, unknown>> {
  const text = await readFile(file, 'utf8').catch((error: Error) => {
    throw new Error(`The agent's configuration cannot be read: ${error.message}.`)
  })
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return value as Record<string, unknown>
  } catch (error) {
    throw new Error(`The agent's configuration '${file}' is not valid JSON: ${(error as Error).message}.`)
  }
  throw new Error(`The agent's configuration '${file}' must be a JSON object.`)
}
