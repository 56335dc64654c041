/** Sends a field of sensors through one network function after the other, and measures what comes out. */
import { type FieldPlan, type Group, groupsOf, sensorOf } from './field.ts'
import type { Subject } from './subjects.ts'

/** What was measured of one place that a function ran at. */
export interface Measured {
  name: string
  /** Messages that came out and were, byte for byte and in order, those that had to. */
  equal: number
  /** Messages that had to come out. */
  expected: number
  /** Messages that came out and were others. */
  wrong: number
  /** Time from a sensor's last reading to its summary, one sensor after the other, in us. */
  latencyUs: { p50: number; p99: number }
  /** Readings in a second with many sensors at once; of no meaning when `equal` is less than `expected`. */
  readingsPerSecond: number
  /** Whose clock says so. */
  clock: 'this machine' | 'cycles of the fabric at 125 MHz'
}

/** Groups of different sensors under way at once when the rate is measured. */
const UNDER_WAY = 32
const PATIENCE_MS = 5_000

/**
 * Measures a subject. The readings go through it twice: once a group at a time, for answers and latency, and once many groups at a time,
 * for the rate. @param signal ends it early
 */
export async function measure(subject: Subject, plan: FieldPlan, signal: AbortSignal): Promise<Measured> {
  const tally = { equal: 0, expected: 0, wrong: 0 }
  const { hardware } = subject
  const latencies: number[] = []
  const groups = groupsOf({ ...plan, rounds: 2 * plan.rounds })
  for (let n = 0; n < plan.sensors * plan.rounds; n++) {
    const us = await sendOne(subject, groups.next().value as Group, tally, signal)
    if (us !== undefined) latencies.push(us)
    // who has lost one may have lost them all: nothing is left to measure
    if (tally.equal + tally.wrong < tally.expected) break
  }
  const isWhole = tally.equal + tally.wrong >= tally.expected
  if (hardware) latencies.splice(0, latencies.length, ...latenciesOf(hardware).map((ns) => ns / 1000))
  hardware?.times.splice(0)
  const begin = performance.now()
  const readings = isWhole ? await sendMany(subject, groups, tally, signal) : 0
  const seconds = hardware ? spanNs(hardware) / 1e9 : (performance.now() - begin) / 1000
  latencies.sort((a, b) => a - b)
  const at = (share: number): number =>
    latencies[Math.min(latencies.length - 1, Math.floor(share * latencies.length))] ?? Number.NaN
  return {
    name: subject.name,
    ...tally,
    latencyUs: { p50: at(0.5), p99: at(0.99) },
    readingsPerSecond: readings / seconds,
    clock: hardware ? 'cycles of the fabric at 125 MHz' : 'this machine',
  }
}

type Tally = Pick<Measured, 'equal' | 'expected' | 'wrong'>

/** Sends a group and waits for what comes out. Gives the time of the last message after the last reading, in us. */
async function sendOne(
  subject: Subject,
  { sensor, messages, expected }: Group,
  tally: Tally,
  signal: AbortSignal,
): Promise<number | undefined> {
  signal.throwIfAborted()
  tally.expected += expected.length
  const answered = awaitMessages(subject, expected.length, signal, (message, n) =>
    judge(tally, message, expected[n]),
  )
  for (const message of messages) subject.send(sensor, message)
  const sent = performance.now()
  await answered
  return expected.length === 0 ? undefined : (performance.now() - sent) * 1000
}

/** Sends groups with some of them under way at once. Gives the number of readings. */
async function sendMany(
  subject: Subject,
  groups: Iterable<Group>,
  tally: Tally,
  signal: AbortSignal,
): Promise<number> {
  const waiting = new Map<number, Buffer[]>()
  let readings = 0
  let free = UNDER_WAY
  let wake = (): void => {}
  subject.heard = (message) => {
    const sensor = sensorOf(message)
    const expected = sensor === undefined ? undefined : waiting.get(sensor)
    judge(tally, message, expected?.shift())
    if (!expected || expected.length > 0) return
    waiting.delete(sensor as number)
    free += 1
    wake()
  }
  const idle = (isDone: () => boolean): Promise<void> =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new LostError()), PATIENCE_MS)
      const look = (): void => {
        if (signal.aborted) reject(signal.reason as Error)
        else if (!isDone()) return
        else resolve()
        clearTimeout(timer)
        wake = () => {}
      }
      wake = look
      look()
    })
  try {
    for (const { sensor, messages, expected } of groups) {
      await idle(() => free > 0 && !waiting.has(sensor))
      tally.expected += expected.length
      if (expected.length > 0) {
        waiting.set(sensor, [...expected])
        free -= 1
      }
      for (const message of messages) subject.send(sensor, message)
      readings += messages.length
    }
    await idle(() => waiting.size === 0)
  } catch (error) {
    if (!(error instanceof LostError)) throw error
  }
  return readings
}

/** Messages were awaited that did not come. */
class LostError extends Error {}

function judge(tally: Tally, message: Buffer, expected: Buffer | undefined): void {
  if (expected?.equals(message)) tally.equal += 1
  else tally.wrong += 1
}

/** Waits for some messages, or until none has come for long enough. */
function awaitMessages(
  subject: Subject,
  count: number,
  signal: AbortSignal,
  take: (message: Buffer, n: number) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let got = 0
    const timer = setTimeout(() => resolve(), PATIENCE_MS)
    const abort = (): void => {
      clearTimeout(timer)
      reject(signal.reason as Error)
    }
    signal.addEventListener('abort', abort, { once: true })
    const end = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', abort)
      resolve()
    }
    subject.heard = (message) => {
      take(message, got)
      got += 1
      if (got === count) end()
    }
    if (count === 0) end()
  })
}

type Hardware = NonNullable<Subject['hardware']>

/** From the end of each frame on its way in to the beginning of the next on its way out, in ns. */
function latenciesOf({ times, nsOf }: Hardware): number[] {
  let last = Number.NaN
  const result: number[] = []
  for (const { way, cycle } of times)
    if (way === 'in') last = cycle
    else if (!Number.isNaN(last)) result.push(nsOf(cycle - last))
  return result
}

/** From the first frame that came in to the last that came in, in ns. */
function spanNs({ times, nsOf }: Hardware): number {
  const came = times.filter(({ way }) => way === 'in')
  return nsOf((came.at(-1)?.cycle ?? 0) - (came[0]?.cycle ?? 0))
}
