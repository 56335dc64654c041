/** A field of simulated sensors that send readings to a network function over CoAP, and what must come out of it. */
import { createOp, keepsState, type Op, parseNfu } from '@hivemind/nfu'
import { CoapCode, CoapFormat, CoapType, cborDouble, encodeRequest, readCoap } from '@hivemind/nfu/node'

/** What the sensors send. */
export interface FieldPlan {
  /** The function: `nfu:OP?..`. */
  code: string
  sensors: number
  /** Groups of readings that each sensor sends: a window each, where the function has one. */
  rounds: number
}

/** Readings that a sensor sends together, and the messages that must come out for them. */
export interface Group {
  sensor: number
  messages: Buffer[]
  expected: Buffer[]
}

/** Readings of a group of a function without a window. */
const PLAIN_GROUP = 10
/** A sensor: a wave of its own, and noise. Its values have few bits after the point, so that fixed point holds them. */
const [BASE, SPREAD, STEPS] = [20, 5, 1024]

/** Readings in a group. */
export function groupSize(code: string): number {
  const nfu = parseNfu(code)
  if (nfu.op === 'counter') return nfu.count
  return keepsState(nfu) ? nfu.window : PLAIN_GROUP
}

/** All groups, in the order in which they are sent: a round of all sensors after the other. The same plan gives the same bytes. */
export function* groupsOf({ code, sensors, rounds }: FieldPlan): Generator<Group> {
  const size = groupSize(code)
  const ops: Op[] = Array.from({ length: sensors }, () => createOp(parseNfu(code)))
  const isSummary = keepsState(parseNfu(code))
  let noise = 1
  for (let round = 0; round < rounds; round++)
    for (let sensor = 0; sensor < sensors; sensor++) {
      const group: Group = { sensor, messages: [], expected: [] }
      for (let n = 0; n < size; n++) {
        noise = (Math.imul(noise, 1664525) + 1013904223) >>> 0
        const number = round * size + n
        const wave = BASE + sensor / 8 + SPREAD * Math.sin(number / 50) + noise / 2 ** 31
        const value = Math.round(wave * STEPS) / STEPS
        const message = readingMessage(sensor, number, value)
        group.messages.push(message)
        for (const output of (ops[sensor] as Op)(value))
          group.expected.push(isSummary ? readingMessage(sensor, number, output as number) : message)
      }
      yield group
    }
}

function readingMessage(sensor: number, number: number, value: number): Buffer {
  return encodeRequest({
    type: CoapType.NON_CONFIRMABLE,
    code: CoapCode.POST,
    id: number & 0xffff,
    token: Uint8Array.of(sensor >> 8, sensor & 0xff),
    path: ['field', 'temperature'],
    format: CoapFormat.CBOR,
    payload: cborDouble(value),
  })
}

/** The sensor that a message is of; `undefined` for what is none of ours. */
export function sensorOf(message: Buffer): number | undefined {
  const read = readCoap(message)
  return read?.tokenEnd === 6 ? message.readUInt16BE(4) : undefined
}
