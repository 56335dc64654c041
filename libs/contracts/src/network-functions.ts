/** Servers of network functions that have registered with the service. */
import { z } from 'zod'

const Port = z.number().int().min(1).max(65_535)
const Hop = z.strictObject({ host: z.string().min(1).max(253), port: Port })
const Code = z.string().min(1).max(400)
const Counter = z.number().int().min(0)

/** Name of a server. */
export const NetworkFunctionName = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/)

/** What a server says of itself, every few seconds. */
export const NetworkFunctionReport = z.strictObject({
  /** The function that it has: `nfu:OP?..`. */
  code: Code,
  /** Where it takes readings. */
  address: Hop,
  /** Where its summaries go; absent when they are read from it. */
  next: Hop.optional(),
  /** A window for each source address. */
  keyed: z.boolean(),
  runtime: z.enum(['node', 'c']),
  /** What it has done since its start, by name. */
  counters: z.record(z.string().max(40), Counter),
  /** Why it does not have the function that it was to have. */
  problem: z.string().max(1000).optional(),
})

/** A server of a network function. */
export const NetworkFunction = NetworkFunctionReport.extend({
  name: NetworkFunctionName,
  /** The function that it is to have, until it has it. */
  wanted: Code.optional(),
  /** When it last said something. */
  seenAt: z.iso.datetime(),
  /** Name of the server that its summaries go to, when it has registered too. */
  nextName: z.string().optional(),
})

/** What a server is told. */
export const NetworkFunctionOrder = z.strictObject({
  /** The function that it is to have, when that is another one. */
  code: Code.optional(),
  /** It is forgotten when it says nothing for so long. */
  expiresInS: z.number(),
})

/** Another function for a server. */
export const NetworkFunctionChange = z.strictObject({ code: Code })
