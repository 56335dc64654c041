/** What a function's container, or the queue-proxy beside it, is asked beside calls. */
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { CHALLENGE_HEADER, HOLD_PATH, PROOF_PATH, proofOf } from '@hivemind/task-runner'
import { Agent, request } from 'undici'

const PROOF_LIMIT_MS = 2_000
/** A queue-proxy may let a request wait for room before it is held, in ms. */
const HOLD_LIMIT_MS = 10_000

const proofs = new Agent({ connect: { timeout: PROOF_LIMIT_MS }, keepAliveTimeout: 1 })
const holding = new Agent({ connect: { timeout: PROOF_LIMIT_MS } })

/** Asks whoever listens at an address to show that it knows the token; the token itself is not sent. */
export async function knows(url: string, token: string): Promise<boolean> {
  try {
    const challenge = randomBytes(16).toString('hex')
    const { statusCode, body } = await request(`${url}${PROOF_PATH}`, {
      headers: { [CHALLENGE_HEADER]: challenge },
      dispatcher: proofs,
      signal: AbortSignal.timeout(PROOF_LIMIT_MS),
    })
    const { proof } = (await body.json()) as { proof?: unknown }
    return statusCode === 200 && proof === proofOf(token, challenge)
  } catch {
    return false
  }
}

/**
 * Has a request held at a queue-proxy for some ms; false where it was not, as by a function host that does not know how. One without
 * room counts all the same.
 */
export async function held(counted: string, token: string, ms: number): Promise<boolean> {
  try {
    const { statusCode, body } = await request(`${counted}${HOLD_PATH}?ms=${ms}`, {
      headers: { authorization: `Bearer ${token}` },
      dispatcher: holding,
      signal: AbortSignal.timeout(ms === 0 ? PROOF_LIMIT_MS : HOLD_LIMIT_MS),
    })
    await body.dump()
    if (statusCode === 503 && ms > 0) await sleep(ms)
    else if (statusCode !== 204) return false
    return true
  } catch {
    return false
  }
}
