/** What a link between the edge agents and the cloud is like, and how people write it. */

/** A link as the shaping proxy makes it. */
export interface LinkShape {
  /** Rate of the access point, or of each agent's own link, in Mbit/s (10^6 bits). */
  mbps: number
  /** One way, in ms. */
  delayMs: number
  /** Probability that a packet of 1,460 bytes is lost, from 0 up to, but not, 1. */
  loss: number
  /** One access point, whose air all agents and both directions share; else each agent has a line of its own. */
  shared: boolean
}

/** What is wrong with the text of a link, in a sentence. */
export class LinkError extends Error {
  override readonly name = 'LinkError'
}

const RATES: Record<string, number> = { kbit: 1e-3, mbit: 1, gbit: 1e3 }
const DELAYS: Record<string, number> = { us: 1e-3, ms: 1, s: 1e3 }
const FORM = "write it as RATE[,DELAY][,LOSS][,shared|own], such as '54mbit,2ms,0.1%'"

/**
 * Reads a link such as `54mbit,2ms,0.1%` or `2gbit,own`: a rate (kbit, mbit, gbit a second), a one-way delay (us, ms,
 * s; none when absent), the share of packets lost (none when absent), and whether the agents share the air (they do
 * when nothing is said).
 * @throws LinkError with a sentence that says which part is wrong
 */
export function parseLink(text: string): LinkShape {
  const link: Partial<LinkShape> = {}
  const set = <Key extends keyof LinkShape>(key: Key, value: LinkShape[Key], part: string): void => {
    if (link[key] !== undefined)
      throw new LinkError(`'${part}' says for a second time what was said before: ${FORM}.`)
    link[key] = value
  }
  for (const part of text.split(',').map((word) => word.trim().toLowerCase())) {
    if (part === 'shared' || part === 'own') {
      set('shared', part === 'shared', part)
      continue
    }
    const [, digits = '', unit = ''] = /^(\d+(?:\.\d+)?)\s*([a-z]+|%)$/.exec(part) ?? []
    const value = Number(digits)
    if (digits !== '' && Object.hasOwn(RATES, unit)) set('mbps', value * (RATES[unit] ?? 1), part)
    else if (digits !== '' && Object.hasOwn(DELAYS, unit)) set('delayMs', value * (DELAYS[unit] ?? 1), part)
    else if (digits !== '' && unit === '%') set('loss', value / 100, part)
    else throw new LinkError(`'${part}' is neither a rate, a delay nor a loss: ${FORM}.`)
  }
  const { mbps, delayMs = 0, loss = 0, shared = true } = link
  if (mbps === undefined) throw new LinkError(`'${text}' names no rate: ${FORM}.`)
  if (mbps < 0.064 || mbps > 100_000)
    throw new LinkError(`The rate of '${text}' must be from 64kbit to 100gbit a second.`)
  if (delayMs > 10_000) throw new LinkError(`The delay of '${text}' must be at most 10s.`)
  if (loss > 0.5)
    throw new LinkError(`The loss of '${text}' must be at most 50%: hardly anything would arrive.`)
  return { mbps, delayMs, loss, shared }
}

/** A link as `parseLink` reads it. */
export function formatLink({ mbps, delayMs, loss, shared }: LinkShape): string {
  return `${mbps}mbit,${delayMs}ms,${Number((loss * 100).toPrecision(6))}%,${shared ? 'shared' : 'own'}`
}
