/** What callers and workers say to the host of a fabric: JSON in datagrams. Clients in other languages say the same. */
import { createHash } from 'node:crypto'

/** A worker says which functions it has, again and again: who is silent for `SILENCE_MS`, or says bye, is gone. */
export interface Hello {
  kind: 'worker' | 'caller' | 'bye'
  /** Of a worker. */
  functions?: string[]
  /** The number that it had from a host before: it gets it again if nobody else has it. */
  number?: number
}

/** The host's answer while it still writes the tables for a client: that waits on. */
export const WAITING = { waiting: true } as const

/** The host's answer to each, once the tables have what it said; `{ refused }` says why it cannot be served. */
export interface Welcome {
  /** Number of the peer: of a worker, or what the highest byte of a caller's requests must be. */
  number: number
  /** Ports of this machine for those of the fabric. */
  ports: Record<string, number>
  /** Memory for payloads: a part of the object `HEAP`, of slots that a caller uses one for each call. */
  memory: { offset: number; slots: number; slotBytes: number }
}

/** Port of the host. */
export const HOST_PORT = 4903
/** The object of remote memory that payloads are in. */
export const HEAP = 1n
/** Bytes of a payload, and of an answer, at most. */
export const PAYLOAD_BYTES = 1024
/** How often a request that timed out is dispatched again. */
export const RETRIES = 1
/** A slot of a call: its payload, and a place for the answer of each attempt, so that a late one changes nothing that is read. */
export const SLOT_BYTES = (2 + RETRIES) * PAYLOAD_BYTES
/** Where the answer of an attempt goes, from the payload on. */
export const answerOffset = (attempt: number): number => (1 + attempt) * PAYLOAD_BYTES
/** How often clients say hello, and when they are taken for gone, in ms. */
export const [HELLO_MS, SILENCE_MS] = [500, 2_500]

/** The number that stands for a function: the first 32 bits of the SHA-256 of its name. */
export const functionId = (name: string): number => createHash('sha256').update(name).digest().readUInt32BE()
