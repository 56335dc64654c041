/** Keeps other sites' pages away: DNS rebinding by the Host header, cross-site requests by Origin and Sec-Fetch-Site. */
import type { IncomingHttpHeaders } from 'node:http'
import { isLoopback } from '../config/config.ts'

function hostNameOf(host: string): string {
  return host.startsWith('[') ? host.slice(1, host.indexOf(']')) : host.replace(/:\d*$/, '')
}

interface Gate {
  /** The name under which the service was reached: the Host header, or what a trusted proxy says of it. */
  host: string
  /** A page or file of the web app is read: other sites may link to it. */
  isPage: boolean
  /**
   * The service has no password, so only this machine's own names are taken for its address. With a password, a foreign
   * name gains nothing, for it gets no cookie.
   */
  localOnly: boolean
}

/** Why a request must be refused, or `null`. */
export function refusalOf(headers: IncomingHttpHeaders, { host, isPage, localOnly }: Gate): string | null {
  if (localOnly && !isLoopback(hostNameOf(host).toLowerCase()))
    return `This service answers to localhost only, not to '${host.slice(0, 100)}'.`
  if (isPage) return null
  const { origin } = headers
  if (origin !== undefined) {
    const from = URL.canParse(origin) ? new URL(origin).host : ''
    if (from.toLowerCase() !== host.toLowerCase())
      return 'Requests from the pages of other sites are refused.'
  }
  const site = headers['sec-fetch-site']
  if (site === 'cross-site' || (origin === undefined && site === 'same-site'))
    return 'Requests from the pages of other sites are refused.'
  return null
}
