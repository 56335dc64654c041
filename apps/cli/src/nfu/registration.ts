/** Keeps a server of a network function registered with the service, and has it take the functions that it is to have. */
import { setTimeout as sleep } from 'node:timers/promises'
import { NfuError } from '@hivemind/nfu'
import { changeNfu, type Hop, nfuState } from '@hivemind/nfu/node'
import { Failure } from '../failure.ts'
import { say } from '../output.ts'
import type { ServiceClient } from '../service.ts'

/** A server reports three times before it would be forgotten. */
const REPORTS_UNTIL_FORGOTTEN = 3
/** How long is waited for a service that does not answer, in ms. */
const RETRY_MS = 5_000

/** A server that is kept registered. */
export interface Registered {
  /** Signs in anew, as a service asks for that has been started again. */
  connect: () => ServiceClient
  name: string
  address: Hop
  runtime: 'node' | 'c'
}

/**
 * Reports to the service until `signal` aborts, then takes its leave. While the service is away the server goes on with the function
 * that it has, and is registered again when the service is back.
 */
export async function keepRegistered(
  { connect, name, address, runtime }: Registered,
  signal: AbortSignal,
): Promise<void> {
  // it answers on this machine, whatever it listens on
  const own = { ...address, host: LOCAL[address.host] ?? address.host }
  let client = connect()
  let isAway = false
  let problem: string | undefined
  while (!signal.aborted) {
    let pauseMs = RETRY_MS
    try {
      const { code, keyed, next, counters } = await nfuState(own)
      const body = {
        ...{ code, keyed, counters, address, runtime },
        ...(next && { next }),
        ...(problem !== undefined && { problem }),
      }
      const order = await client.call('registerNetworkFunction', { path: { name }, body })
      if (isAway) say(`'${name}' is registered again.`)
      isAway = false
      problem = undefined
      pauseMs = (order.expiresInS * 1000) / REPORTS_UNTIL_FORGOTTEN
      if (order.code !== undefined) {
        problem = await taken(own, order.code)
        say(problem === undefined ? `It is now ${order.code}.` : `It stays ${code}: ${problem}`)
        continue
      }
    } catch (error) {
      if (!(error instanceof NfuError || error instanceof Failure)) throw error
      if (!isAway) say(`'${name}' is not registered at the moment. ${error.message} It goes on as it is.`)
      isAway = true
      client = connect()
    }
    await sleep(pauseMs, undefined, { signal }).catch(() => {})
  }
  await client.call('removeNetworkFunction', { path: { name } }).catch(() => {})
}

const LOCAL: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' }

/** Why a server does not take a function; `undefined` when it does. */
async function taken(server: Hop, code: string): Promise<string | undefined> {
  try {
    await changeNfu(server, code)
    return undefined
  } catch (error) {
    if (error instanceof NfuError) return error.message
    throw error
  }
}
