import { readNfu } from '@hivemind/nfu'
import { Injectable } from '@nestjs/common'
import type { AnswerOf, BodyOf } from '../common/contract.ts'
import { impossible, invalid, notFound, Problem } from '../common/problem.ts'

type Report = BodyOf<'registerNetworkFunction'>
type NetworkFunction = AnswerOf<'changeNetworkFunction'>
type Order = AnswerOf<'registerNetworkFunction'>

/** A server that says nothing for so long is forgotten. It says something three times meanwhile. */
const EXPIRES_IN_S = 15
const MAX_SERVERS = 1000
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/

interface Entry {
  name: string
  report: Report
  seenAt: number
  wanted: string | undefined
}

/**
 * Servers of network functions, as soft state (InLocus, section III): who says nothing is forgotten, and a service that starts anew
 * hears of all of them within seconds.
 */
@Injectable()
export class NetworkFunctionsService {
  private readonly entries = new Map<string, Entry>()

  /** Takes what a server says of itself, and gives what it is to do. Throws 400, 409 and 422. */
  register(name: string, report: Report): Order {
    if (!NAME.test(name))
      throw invalid('name', 'A name has up to 64 letters, digits, dots, hyphens and underscores.')
    refuseFaults('code', report.code)
    this.forgetSilent()
    const known = this.entries.get(name)
    if (known && !sameAddress(known.report, report))
      throw new Problem(
        409,
        `Another server at ${known.report.address.host}:${known.report.address.port} is called '${name}': choose another name (--name).`,
      )
    if (!known && this.entries.size >= MAX_SERVERS)
      throw new Problem(409, `${MAX_SERVERS} servers have registered, which is all there may be.`)
    // what it could not take is not asked for again
    const isSettled = known?.wanted === report.code || report.problem !== undefined
    const wanted = isSettled ? undefined : known?.wanted
    const problem = report.problem ?? known?.report.problem
    const kept = { ...report, ...(problem !== undefined && { problem }) }
    this.entries.set(name, { name, report: kept, seenAt: Date.now(), wanted })
    return { expiresInS: EXPIRES_IN_S, ...(wanted !== undefined && { code: wanted }) }
  }

  list(): NetworkFunction[] {
    this.forgetSilent()
    return [...this.entries.values()]
      .sort((a, b) => a.name.localeCompare(b.name, 'en', { numeric: true }))
      .map((entry) => this.recordOf(entry))
  }

  /** Throws 404, and 422 with what is wrong with the function. */
  change(name: string, code: string): NetworkFunction {
    const entry = this.find(name)
    refuseFaults('code', code)
    entry.wanted = code === entry.report.code ? undefined : code
    const { problem: _, ...report } = entry.report
    entry.report = report
    return this.recordOf(entry)
  }

  /** Throws 404. */
  remove(name: string): void {
    this.find(name)
    this.entries.delete(name)
  }

  private find(name: string): Entry {
    this.forgetSilent()
    const entry = this.entries.get(name)
    if (!entry) throw notFound('network function', name)
    return entry
  }

  private forgetSilent(): void {
    const before = Date.now() - EXPIRES_IN_S * 1000
    for (const [name, { seenAt }] of this.entries) if (seenAt < before) this.entries.delete(name)
  }

  private recordOf({ name, report, seenAt, wanted }: Entry): NetworkFunction {
    const { next } = report
    const after =
      next && [...this.entries.values()].find((each) => sameAddress(each.report, { address: next }))
    return {
      name,
      ...report,
      seenAt: new Date(seenAt).toISOString(),
      ...(wanted !== undefined && { wanted }),
      ...(after && { nextName: after.name }),
    }
  }
}

const sameAddress = (a: Pick<Report, 'address'>, b: Pick<Report, 'address'>): boolean =>
  a.address.host === b.address.host && a.address.port === b.address.port

function refuseFaults(field: string, code: string): void {
  const { problems } = readNfu(code)
  if (problems[0]) throw impossible(field, problems[0].message)
}
