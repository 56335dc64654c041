/**
 * CloudEvents 1.0 over HTTP, binary and structured (JSON) content mode, to and from bytes. Data stays encoded: it is
 * neither parsed nor copied in binary mode. https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/bindings/http-protocol-binding.md
 */
import type { IncomingHttpHeaders } from 'node:http'
import { attributeToHeader } from '@hivemind/task-runner'
import { type EncodedValue, formatOf, OCTETS } from '@hivemind/values'
import { Refusal } from './refusal.ts'

const STRUCTURED = 'application/cloudevents+json'
const REQUIRED = ['id', 'source', 'specversion', 'type'] as const
const NAME = /^[a-z0-9]+$/
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/** A CloudEvent. */
export interface Event {
  /** Context attributes, extensions included, as text; without `datacontenttype`, which is the type of the data. */
  attributes: Record<string, string>
  data: EncodedValue | null
}

/** How an event is put into HTTP. */
export type Mode = 'binary' | 'structured'

/** An event as a message. */
export interface Message {
  headers: Record<string, string>
  body: Uint8Array
}

/** Reads the event of a request. Throws `Refusal` (400, 415) with a sentence that names what is missing or wrong. */
export function readEvent(headers: IncomingHttpHeaders, body: Buffer): { event: Event; mode: Mode } {
  const type = headers['content-type']
  const essence = (type ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''
  if (essence === STRUCTURED) return { event: readStructured(body), mode: 'structured' }
  if (essence.startsWith('application/cloudevents'))
    throw new Refusal(
      415,
      `A function takes one CloudEvent in binary mode or as ${STRUCTURED}, not ${essence}.`,
    )
  if (!Object.keys(headers).some((name) => name.startsWith('ce-')))
    throw new Refusal(
      415,
      `This is no CloudEvent: send the attributes as ce- headers (binary mode), or the whole event as ${STRUCTURED}.`,
    )
  const attributes: Record<string, string> = {}
  for (const [header, value] of Object.entries(headers))
    if (header.startsWith('ce-')) attributes[header.slice(3)] = fromHeader(header, String(value))
  checkAttributes(attributes)
  const data = body.length === 0 && type === undefined ? null : { type: type ?? OCTETS, bytes: body }
  return { event: { attributes, data }, mode: 'binary' }
}

function readStructured(body: Buffer): Event {
  let members: Record<string, unknown>
  try {
    members = JSON.parse(body.toString('utf8'))
  } catch (error) {
    throw new Refusal(400, `The event is not valid JSON: ${(error as Error).message}.`)
  }
  if (typeof members !== 'object' || members === null || Array.isArray(members))
    throw new Refusal(400, 'The event must be a JSON object with the attributes of a CloudEvent.')
  const { data, data_base64: base64, datacontenttype: type, ...rest } = members
  const attributes: Record<string, string> = {}
  for (const [name, value] of Object.entries(rest)) {
    if (value === null) continue
    if (typeof value === 'object')
      throw new Refusal(400, `The attribute '${name}' must be text, a number or a boolean.`)
    attributes[name] = String(value)
  }
  checkAttributes(attributes)
  if (type !== undefined && type !== null && typeof type !== 'string')
    throw new Refusal(400, "The attribute 'datacontenttype' must be text.")
  return { attributes, data: structuredData(data, base64, type ?? undefined) }
}

function structuredData(data: unknown, base64: unknown, type: string | undefined): EncodedValue | null {
  if (base64 !== undefined && base64 !== null) {
    if (data !== undefined) throw new Refusal(400, "An event has 'data' or 'data_base64', not both.")
    if (typeof base64 !== 'string' || !BASE64.test(base64))
      throw new Refusal(400, "The member 'data_base64' must be base64.")
    return { type: type ?? OCTETS, bytes: Buffer.from(base64, 'base64') }
  }
  if (data === undefined) return null
  if (type === undefined || formatOf(type) === 'json')
    return { type: type ?? 'application/json', bytes: Buffer.from(JSON.stringify(data)) }
  if (typeof data === 'string') return { type, bytes: Buffer.from(data) }
  throw new Refusal(400, `The data of type '${type}' must be text in 'data', or base64 in 'data_base64'.`)
}

function checkAttributes(attributes: Record<string, string>): void {
  for (const name of REQUIRED)
    if (!attributes[name]) throw new Refusal(400, `The CloudEvent lacks the required attribute '${name}'.`)
  if (attributes.specversion !== '1.0')
    throw new Refusal(
      400,
      `The attribute 'specversion' is '${attributes.specversion}'; a function takes '1.0'.`,
    )
  for (const name of Object.keys(attributes))
    if (!NAME.test(name))
      throw new Refusal(400, `The attribute '${name}' must have a name of lower-case letters and digits.`)
  if (/\s/.test(attributes.source ?? ''))
    throw new Refusal(400, `The attribute 'source' must be a URI reference, not '${attributes.source}'.`)
  if (attributes.time !== undefined && !(TIME.test(attributes.time) && Date.parse(attributes.time) > 0))
    throw new Refusal(400, `The attribute 'time' must be a time as in RFC 3339, not '${attributes.time}'.`)
}

/** Header values are UTF-8 in percent encoding; a lone percent sign stands for itself. */
function fromHeader(name: string, value: string): string {
  if (!value.includes('%')) return value
  try {
    return decodeURIComponent(value.replace(/%(?![0-9A-Fa-f]{2})/g, '%25'))
  } catch {
    throw new Refusal(400, `The header '${name}' is not UTF-8 in percent encoding.`)
  }
}

/** The event in the mode of its reader. */
export function writeEvent({ attributes, data }: Event, mode: Mode): Message {
  if (mode === 'binary') {
    const headers = Object.fromEntries(
      Object.entries(attributes).map(([name, value]) => [`ce-${name}`, attributeToHeader(value)]),
    )
    if (data) headers['content-type'] = data.type
    return { headers, body: data?.bytes ?? new Uint8Array() }
  }
  return {
    headers: { 'content-type': `${STRUCTURED}; charset=utf-8` },
    body: Buffer.from(JSON.stringify(toJson({ attributes, data }))),
  }
}

/** The event in the JSON event format. */
export function toJson({ attributes, data }: Event): Record<string, unknown> {
  if (!data) return attributes
  const members = { ...attributes, datacontenttype: data.type }
  if (formatOf(data.type) === 'json')
    return { ...members, data: JSON.parse(Buffer.from(data.bytes).toString('utf8')) }
  return { ...members, data_base64: Buffer.from(data.bytes).toString('base64') }
}
