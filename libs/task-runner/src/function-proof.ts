/** How a function shows that it is the one a caller means, before the caller sends anything that is secret. */
import { createHmac } from 'node:crypto'

/** Path that is asked for the proof. */
export const PROOF_PATH = '/proof'
/** Header of the challenge: text that the caller has made up for this one question. */
export const CHALLENGE_HEADER = 'hm-challenge'
/** Longest challenge, in characters. */
export const MAX_CHALLENGE_LENGTH = 128

/** The answer to a challenge, which only those can give that know the token: HMAC-SHA-256, hexadecimal. */
export function proofOf(token: string, challenge: string): string {
  return createHmac('sha256', token).update(challenge).digest('hex')
}
