/** The settings of where devices meet the service. */
import { isIP } from 'node:net'
import type { DeviceAddress, OtherBroker } from '@hivemind/deploy'
import { StartError } from '../common/start-error.ts'
import { certificateIn } from './certificate.ts'

/** A name of DNS, or an IP address without brackets. */
const ADDRESS = /^[A-Za-z0-9_.:-]+$/
const MAX_PORT = 65_535

/** Reads HIVEMIND_DEVICES_HOST and HIVEMIND_DEVICES_PORT; nothing without the first. Throws `StartError`. */
export function dialInOf(host: string | undefined, portText: string | undefined): { dialIn?: DeviceAddress } {
  if (host === undefined) {
    if (portText === undefined) return {}
    throw new StartError(
      'HIVEMIND_DEVICES_PORT needs HIVEMIND_DEVICES_HOST: the name or address by which devices of other machines reach this one.',
    )
  }
  const { address, dialPort } = parsed(host)
  if (address === '0.0.0.0' || address === '::')
    throw new StartError(
      `HIVEMIND_DEVICES_HOST is '${host}', which no device can dial: give the address by which devices reach this machine.`,
    )
  const port = portText === undefined ? undefined : Number(portText)
  if (port !== undefined && !(Number.isInteger(port) && port >= 1 && port <= MAX_PORT))
    throw new StartError(`HIVEMIND_DEVICES_PORT is '${portText}': give a port from 1 to ${MAX_PORT}.`)
  return { dialIn: { address, ...(dialPort && { dialPort }), ...(port && { port }) } }
}

/** Throws `StartError`. */
function parsed(host: string): { address: string; dialPort: number } {
  // a scheme without a port of its own, so that none is left out
  const url = `mqtts://${isIP(host) === 6 ? `[${host}]` : host}`
  if (URL.canParse(url)) {
    const { hostname, port, pathname, search, hash, username } = new URL(url)
    const address = hostname.replace(/^\[(.*)\]$/, '$1')
    const more = pathname + search + hash + username
    if (more === '' && ADDRESS.test(address)) return { address, dialPort: Number(port) }
  }
  throw new StartError(
    `HIVEMIND_DEVICES_HOST is '${host}': give a name or address, such as swarm.example or 192.168.1.5, and a port after a colon where devices dial another one than HIVEMIND_DEVICES_PORT.`,
  )
}

const BROKER_PROTOCOLS = ['mqtt:', 'mqtts:', 'ws:', 'wss:']

/** The other broker, if one is named. Throws `StartError`. */
export function brokerOf(
  given: Partial<Record<'url' | 'username' | 'password' | 'caFile', string | undefined>>,
): { broker?: OtherBroker } {
  const { url, username, password, caFile } = given
  if (url === undefined) return {}
  if (!URL.canParse(url) || !BROKER_PROTOCOLS.includes(new URL(url).protocol))
    throw new StartError(
      `HIVEMIND_BROKER_URL is '${url}': give a URL that begins with ${BROKER_PROTOCOLS.join('//, ')}//.`,
    )
  if (username === undefined || password === undefined)
    throw new StartError(
      `The broker ${url} needs a user of the service: set HIVEMIND_BROKER_USER and HIVEMIND_BROKER_PASSWORD.`,
    )
  return {
    broker: {
      url,
      username,
      password,
      ...(caFile !== undefined && { ca: certificateIn('HIVEMIND_BROKER_CA', caFile) }),
    },
  }
}
