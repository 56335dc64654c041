/**
 * Where the devices of a service meet it: the MQTT broker (embedded, or any other by URL), the HTTP endpoint for values and
 * blobs, the door for devices of other machines, and the agents with their channel. One for each process that runs workflows; its deployments share it.
 */
import { randomBytes, randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import path from 'node:path'
import {
  type Broker,
  deviceAuthenticator,
  type Log,
  linkByUrl,
  newFleetSecret,
  startBroker,
} from '@hivemind/agent-protocol/node'
import type { DataPort } from '@hivemind/values'
import { BlobStore, countBuffersAsHeap, FolderDataPort } from '@hivemind/values/node'
import { type DeviceAddress, type DeviceDoor, openDeviceDoor } from './agents/device-door.ts'
import type { Certified } from './agents/door-certificates.ts'
import { type EnrolledAgent, hashOfToken } from './agents/enrolled.ts'
import { LocalAgents, type LocalAgentsEvents } from './agents/local-agents.ts'
import { ReverseConnections, reverseHandler } from './agents/reverse-connections.ts'
import {
  type DataEndpoint,
  type DataEndpointOptions,
  dataServer,
  startDataEndpoint,
  userOf,
} from './data-endpoint.ts'
import { FunctionClient } from './functions/client.ts'
import type { LinkShape } from './link.ts'
import { RunPools } from './run-pools.ts'
import { ShapedLinks } from './shaped-links.ts'

/** A broker that is not ours, with the service's own user there. */
export interface OtherBroker {
  url: string
  username: string
  password: string
  /** Certificates of authorities that vouch for it, as PEM; the usual ones do when absent. */
  ca?: string
}

export interface HubOptions {
  /** Folder of blobs, values, agents and the hub's own state: kept, so that devices find the service after a restart. */
  dir: string
  /** Blobs that others keep there too; in `dir` when absent. */
  blobs?: BlobStore
  /** Where values are kept; in `dir` when absent. */
  data?: DataPort
  /** Where devices of other machines dial in; none of them can when absent. */
  dialIn?: DeviceAddress
  /** Another broker instead of the embedded one. */
  broker?: OtherBroker
  /** Local agents end with this process (`bound`), or when they have not heard from a service for so long. */
  life: 'bound' | { leaseSeconds: number }
  /** Program and arguments that start a local agent; options are added. */
  agentCommand?: readonly string[]
  /** Devices of other machines that were enrolled before. */
  devices?: readonly EnrolledAgent[]
  /** What lies between agents and service; the bare loopback when absent. */
  link?: LinkShape
  log?: Log
}

/** What a hub keeps over restarts. */
interface HubState {
  fleet: string
  secret: string
  brokerPort: number
  dataPort: number
  /** Port of the door for devices of other machines, and what they trust. */
  doorPort?: number
  authority?: Certified
}

/** Where devices dial in. */
export interface HubAddress {
  fleet: string
  /** URL of the MQTT broker. */
  broker: string
  /** URL of the endpoint for values, as devices of other machines would reach it. */
  values: string
  /** Certificates of authorities that the device trusts beside the usual ones, as PEM. */
  ca?: string
}

/** Ids of agents of this machine begin with their deployment's group, and a dot. */
const isOfThisMachine = (device: string): boolean => device.includes('.')

export class FleetHub {
  readonly blobs: BlobStore
  readonly data: DataPort
  readonly agents: LocalAgents
  /** The way to functions on devices of other machines. */
  readonly reverse: ReverseConnections
  /** Whose values devices may use. */
  readonly runPools: RunPools
  /** Calls functions. */
  readonly client: FunctionClient
  readonly #broker: Broker | undefined
  readonly #endpoint: DataEndpoint
  readonly #door: DeviceDoor | undefined
  readonly #links: ShapedLinks | undefined
  /** Hashes of the tokens of devices of other machines, by id. */
  readonly #hashes: Map<string, string>
  readonly address: HubAddress

  private constructor(parts: {
    blobs: BlobStore
    data: DataPort
    agents: LocalAgents
    reverse: ReverseConnections
    runPools: RunPools
    broker: Broker | undefined
    endpoint: DataEndpoint
    door: DeviceDoor | undefined
    links: ShapedLinks | undefined
    hashes: Map<string, string>
    address: HubAddress
  }) {
    this.blobs = parts.blobs
    this.data = parts.data
    this.agents = parts.agents
    this.reverse = parts.reverse
    this.runPools = parts.runPools
    this.client = new FunctionClient(parts.reverse.connect)
    this.#broker = parts.broker
    this.#endpoint = parts.endpoint
    this.#door = parts.door
    this.#links = parts.links
    this.#hashes = parts.hashes
    this.address = parts.address
  }

  /**
   * Opens the hub of a folder: at the addresses it had before, so that devices find it again, or at others when these are
   * taken. Rejects when nothing can be opened.
   */
  static async open(options: HubOptions & LocalAgentsEvents): Promise<FleetHub> {
    const { dir, dialIn, broker: other, life, agentCommand, link, log = () => {} } = options
    countBuffersAsHeap()
    await mkdir(dir, { recursive: true, mode: 0o700 })
    const file = path.join(dir, 'fleet.json')
    const before = readState(file)
    const secret = before?.secret ?? newFleetSecret()
    const fleet = before?.fleet ?? `fleet-${randomBytes(4).toString('hex')}`
    const ofThisMachine = deviceAuthenticator({ fleet, secret, isEnrolled: isOfThisMachine })
    // Devices dial in as soon as the broker listens, which is before the agents are known here.
    const hashes = new Map(options.devices?.map(({ id, tokenHash }) => [id, tokenHash]))
    const authenticate: typeof ofThisMachine = (device, token) =>
      hashes.get(device) === hashOfToken(token)
        ? { role: 'device', fleet, device }
        : ofThisMachine(device, token)
    const broker = other
      ? undefined
      : await onPort(before?.brokerPort, (port) => startBroker({ port, authenticate, log }))
    const blobs = options.blobs ?? new BlobStore(path.join(dir, 'blobs'))
    const data = options.data ?? new FolderDataPort(path.join(dir, 'values'))
    const reverse = new ReverseConnections()
    const runPools = new RunPools()
    const isDevice = (user: string, password: string): boolean => authenticate(user, password) !== null
    const served: DataEndpointOptions = {
      data,
      blobs,
      authenticate: isDevice,
      upgrade: reverseHandler(reverse, (request) => userOf({ authenticate: isDevice }, request)),
      permission: (device, pool, access) => runPools.permission(device, pool, access),
    }
    let endpoint: DataEndpoint | undefined
    let door: OpenDoor | undefined
    try {
      endpoint = await onPort(before?.dataPort, (port) => startDataEndpoint({ ...served, port }))
      door = dialIn && (await openDoor(dialIn, { fleet, before, broker, served, log }))
    } catch (error) {
      await endpoint?.close()
      await broker?.close()
      throw error
    }
    const brokerUrl = other?.url ?? broker?.url ?? ''
    const links: ShapedLinks | undefined = link && new ShapedLinks(link, (device) => agents.sign(device))
    const { onMessage, onLost, onUp, onChange } = options
    const agents: LocalAgents = new LocalAgents({
      fleet,
      secret,
      brokerUrl: (device) => links?.url(`${device} broker`, device, brokerUrl) ?? brokerUrl,
      openLink: other ? linkByUrl({ ...other, clientId: `hivemind-service-${fleet}` }) : openLinkOf(broker),
      boot: randomUUID(),
      dir: path.join(dir, 'agents'),
      ...trusted(other?.ca),
      life,
      ...(agentCommand && { command: agentCommand }),
      log,
      ...(onMessage && { onMessage }),
      onLost: (device, message, again) => {
        reverse.lost(device)
        onLost?.(device, message, again)
      },
      ...(onUp && { onUp }),
      ...(onChange && { onChange }),
    })
    for (const device of options.devices ?? []) agents.enrolled.add(device)
    const authority = door?.authority ?? before?.authority
    const doorPort = door?.door.port ?? before?.doorPort
    const state: HubState = {
      fleet,
      secret,
      brokerPort: broker?.port ?? 0,
      dataPort: endpoint.port,
      ...(doorPort !== undefined && { doorPort }),
      ...(authority && { authority }),
    }
    await writeFile(`${file}.tmp`, JSON.stringify(state), { mode: 0o600 })
    await rename(`${file}.tmp`, file)
    return new FleetHub({
      blobs,
      data,
      agents,
      reverse,
      runPools,
      broker,
      endpoint,
      door: door?.door,
      links,
      hashes,
      address: {
        fleet,
        broker: door && !other ? `mqtts://${door.door.dialled}` : brokerUrl,
        values: door ? `https://${door.door.dialled}` : endpoint.url,
        ...trusted(door?.authority.cert, other?.ca),
      },
    })
  }

  /** URL of the data endpoint, as a device reaches it. */
  async dataUrlFor(device: string): Promise<string> {
    if (this.#door && this.agents.enrolled.has(device)) return this.address.values
    const { url } = this.#endpoint
    return (await this.#links?.url(`${device} data`, device, url)) ?? url
  }

  /** Lets a device of another machine dial in. */
  enrol(device: EnrolledAgent): void {
    this.#hashes.set(device.id, device.tokenHash)
    this.agents.enrolled.add(device)
  }

  /** A device of another machine is out at once: its connection ends, and its token is refused. Returns false when unknown. */
  remove(device: string): boolean {
    this.#hashes.delete(device)
    const known = this.agents.remove(device)
    this.#broker?.disconnect(device)
    return known
  }

  /** Ends everything; agents go on by themselves when `detach` is given, until their lease ends. */
  async close({ detach }: { detach: boolean }): Promise<void> {
    if (detach) await this.agents.detach()
    else await this.agents.stop()
    await this.client.close()
    this.reverse.close()
    await this.#links?.close()
    await this.#door?.close()
    await this.#endpoint.close()
    await this.#broker?.close()
  }
}

function trusted(...authorities: (string | undefined)[]): { ca?: string } {
  const known = authorities.filter((each) => each !== undefined)
  return known.length > 0 ? { ca: known.join('\n') } : {}
}

interface OpenDoor {
  door: DeviceDoor
  authority: Certified
}

/** Opens the door with the authority that the fleet had before, so that its devices trust it still, or with a new one. */
async function openDoor(
  at: DeviceAddress,
  parts: {
    fleet: string
    before: HubState | undefined
    broker: Broker | undefined
    served: DataEndpointOptions
    log: Log
  },
): Promise<OpenDoor> {
  const { fleet, before, broker, served, log } = parts
  // what makes certificates is loaded where devices of other machines are served, and nowhere else
  const { certificateFor, newAuthority } = await import('./agents/door-certificates.ts')
  const authority = before?.authority ?? (await newAuthority(fleet))
  const certificate = await certificateFor(authority, at.address)
  const open = (port: number) =>
    openDeviceDoor({
      at: { ...at, port },
      certificate,
      ...(broker && { mqtt: broker.accept }),
      http: dataServer(served),
      log,
    })
  const door = await (at.port === undefined ? onPort(before?.doorPort, open) : open(at.port))
  return { door, authority }
}

function openLinkOf(broker: Broker | undefined): Broker['openLink'] {
  if (!broker) throw new Error('There is no broker.')
  return broker.openLink
}

/** The state that the file holds, if it is one. */
function readState(file: string): HubState | undefined {
  try {
    const state = JSON.parse(readFileSync(file, 'utf8')) as Partial<HubState>
    return typeof state.fleet === 'string' && typeof state.secret === 'string'
      ? (state as HubState)
      : undefined
  } catch {
    return undefined
  }
}

/** Opens something at the port it had, or at any free one. */
async function onPort<T>(before: number | undefined, open: (port: number) => Promise<T>): Promise<T> {
  if (before)
    try {
      return await open(before)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    }
  return open(0)
}
