/** Two network namespaces with a cable between them, which stand for two machines, and what the kernel counts at one end. */
import { execFileSync, type SpawnSyncReturns } from 'node:child_process'

/** What has passed an interface, as the kernel counts it. */
export interface Passed {
  /** Frames that came in, and went out. */
  came: number
  left: number
}

export interface TwoHosts {
  /** IPv4 addresses of the two. */
  addresses: { sender: string; server: string }
  /** A command that runs on one of them. */
  on(host: 'sender' | 'server', command: string, args: readonly string[]): [string, string[]]
  /** What has passed the interface of the server until now. Nothing but what the two send is on the cable. */
  passed(): Passed
  /** Removes both. */
  remove(): void
}

const ADDRESSES = { sender: '10.77.0.1', server: '10.77.0.2' }

/** Makes two hosts. Throws where that may not be done. */
export function twoHosts(): TwoHosts {
  const names = { sender: `hm-sender-${process.pid}`, server: `hm-server-${process.pid}` }
  const interfaces = { sender: 'hm0', server: 'hm1' }
  const ends = ['sender', 'server'] as const
  const remove = (): void => {
    for (const end of ends)
      try {
        ip('netns', 'del', names[end])
      } catch {
        // it was not made
      }
  }
  try {
    for (const end of ends) {
      ip('netns', 'add', names[end])
      // no frame that nobody sent: neither neighbour discovery nor multicast
      ip('netns', 'exec', names[end], 'sysctl', '-qw', 'net.ipv6.conf.default.disable_ipv6=1')
    }
    const peer = ['type', 'veth', 'peer', 'name', interfaces.server, 'netns', names.server]
    ip('-n', names.sender, 'link', 'add', interfaces.sender, ...peer)
    for (const end of ends) {
      ip('-n', names[end], 'address', 'add', `${ADDRESSES[end]}/24`, 'dev', interfaces[end])
      ip('-n', names[end], 'link', 'set', interfaces[end], 'up')
      ip('-n', names[end], 'link', 'set', 'lo', 'up')
    }
    for (const [end, other] of [ends, ends.toReversed() as ['server', 'sender']] as const) {
      const [link] = JSON.parse(ip('-n', names[other], '-j', 'link', 'show', interfaces[other])) as {
        address: string
      }[]
      ip(
        '-n',
        names[end],
        'neigh',
        'add',
        ADDRESSES[other],
        'lladdr',
        String(link?.address),
        'dev',
        interfaces[end],
      )
    }
  } catch (error) {
    remove()
    const { stderr } = error as SpawnSyncReturns<Buffer>
    throw new Error(
      `Two network namespaces cannot be made here, which takes root and iproute2: ${stderr ?? error}`,
    )
  }
  return {
    addresses: ADDRESSES,
    on: (host, command, args) => ['ip', ['netns', 'exec', names[host], command, ...args]],
    passed: () => {
      const shown = ip('-n', names.server, '-s', '-j', 'link', 'show', interfaces.server)
      const [link] = JSON.parse(shown) as { stats64: Record<'rx' | 'tx', { packets: number }> }[]
      return { came: link?.stats64.rx.packets ?? Number.NaN, left: link?.stats64.tx.packets ?? Number.NaN }
    },
    remove,
  }
}

const ip = (...args: string[]): string =>
  execFileSync('ip', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
