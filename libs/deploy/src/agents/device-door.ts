/** The door for devices of other machines: one port, with TLS, for the broker (MQTT) and for values and blobs (HTTP). */
import type { Server } from 'node:http'
import { isIP, type Socket } from 'node:net'
import os from 'node:os'
import tls from 'node:tls'
import type { Log } from '@hivemind/agent-protocol/node'
import type { Certified } from './door-certificates.ts'

/** Where devices of other machines dial in. */
export interface DeviceAddress {
  /** Name or IP address by which devices reach this machine, or what is in front of it. */
  address: string
  /** Port that they dial there; the one that is listened on when absent. */
  dialPort?: number
  /** Port to listen on; when absent the one before, or any free one. */
  port?: number
}

/** What is behind the door. */
export interface DoorOptions {
  at: DeviceAddress
  certificate: Certified
  /** Takes over a connection that speaks MQTT; none where devices use another broker. */
  mqtt?: (socket: Socket) => void
  /** Takes over any other connection. It does not listen. */
  http: Server
  /** Time for TLS, and for the first byte after it, in ms; 10,000 when absent. */
  patienceMs?: number
  log?: Log
}

/** An open door. */
export interface DeviceDoor {
  /** Port that is listened on. */
  readonly port: number
  /** Name or address with port, as devices dial it. */
  readonly dialled: string
  close(): Promise<void>
}

/** First byte of MQTT's CONNECT; no request of HTTP begins with it. */
const MQTT_CONNECT = 0x10
const PATIENCE_MS = 10_000

/** Opens the door. Rejects when the port is taken. */
export async function openDeviceDoor(options: DoorOptions): Promise<DeviceDoor> {
  const { at, certificate, mqtt, http, patienceMs = PATIENCE_MS, log } = options
  const sockets = new Set<Socket>()
  const server = tls.createServer(
    { ...certificate, minVersion: 'TLSv1.2', handshakeTimeout: patienceMs, noDelay: true },
    (socket) => {
      // what is behind it ends a connection that breaks
      socket.on('error', () => {})
      const silent = setTimeout(() => socket.destroy(), patienceMs)
      socket.once('close', () => clearTimeout(silent))
      socket.once('data', (first: Buffer) => {
        clearTimeout(silent)
        socket.pause()
        socket.unshift(first)
        if (mqtt && first[0] === MQTT_CONNECT) mqtt(socket)
        else http.emit('connection', socket)
        process.nextTick(() => socket.resume())
      })
    },
  )
  server.on('tlsClientError', (error, socket) => {
    const where = socket.remoteAddress ? ` at ${socket.remoteAddress}` : ''
    log?.(
      'warn',
      `A device${where} was not let in, as it speaks no TLS or does not trust this service: ${error.message}.`,
    )
    socket.destroy()
  })
  // plain connections too, so that none outlives the door
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  const host = interfaceOf(at.address)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen({ port: at.port ?? 0, ...(host !== undefined && { host }) }, resolve)
  })
  const { port } = server.address() as { port: number }
  return {
    port,
    dialled: `${isIP(at.address) === 6 ? `[${at.address}]` : at.address}:${at.dialPort ?? port}`,
    close: () =>
      new Promise((resolve) => {
        http.close()
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}

/** The address to listen on: undefined, for all of this machine, where the one that devices dial is a name, or of something in front. */
export function interfaceOf(address: string): string | undefined {
  const own = Object.values(os.networkInterfaces()).flatMap((all) => all ?? [])
  const isOwn = own.some((each) => each.address === address) || isLoopback(address)
  return isOwn ? address : undefined
}

/** All of 127.0.0.0/8 is of this machine; its interface names the first address alone. */
const isLoopback = (address: string): boolean => isIP(address) === 4 && address.startsWith('127.')
