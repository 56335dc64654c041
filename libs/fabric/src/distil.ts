/** The engine distil as a network function: readings of numbered sources in, summaries out (InLocus paper, section IV). */
import { framesAt, isLoading, loadedBuild, registersAt, whenNotLoading } from './board.ts'
import type { FabricCache } from './cache.ts'
import { datagramFrame, datagramOf, type UdpPeer } from './datagrams.ts'
import { FabricError } from './error.ts'
import type { FrameLine } from './frames.ts'
import type { Manifest } from './manifest.ts'
import { fieldKey, type Register, type RegisterBus, readRegisterMap, registerOf } from './registers.ts'
import { readFields, writeSettings } from './settings.ts'
import { CYCLE_NS, type FrameTime, FrameTimes } from './times.ts'

/** The ops of the engine, in the order of their codes. */
const OPS = ['forward', 'counter', 'average', 'min', 'max', 'filter'] as const

/** What the engine is to do. */
export interface DistilFunction {
  op: (typeof OPS)[number]
  /** Readings of one summary; of no meaning for `forward` and `filter`. */
  window: number
  /** Bounds of `filter`, both inclusive; infinite for none. */
  above: number
  below: number
}

/** What the engine of a build can do. */
export interface DistilFigures {
  /** Sources that have a window each. */
  places: number
  /** The clock it runs at, in MHz: that of the board, or that of the build's timing when it is slower. */
  clockMHz: number
  /** Bits before and after the binary point of a reading that it holds exactly. */
  integerBits: number
  fractionBits: number
}

/** The clock of the boards, in MHz. */
const BOARD_MHZ = 1000 / CYCLE_NS

/** What the engine distil of a build can do; `undefined` when it has none. */
export function distilFigures({ parameters, clocks }: Manifest): DistilFigures | undefined {
  const places = parameters['distil.sources']
  if (places === undefined) return undefined
  return {
    places,
    clockMHz: Math.min(BOARD_MHZ, ...clocks.map(({ achievedMhz }) => achievedMhz)),
    integerBits: parameters['distil.integerBits'] ?? 32,
    fractionBits: parameters['distil.fractionBits'] ?? 64,
  }
}

/** Whether the engine holds a reading exactly; one that it does not hold goes on, for the next hop to compute. */
export const holdsReading = (value: number, { integerBits, fractionBits }: DistilFigures): boolean =>
  Math.abs(value) < 2 ** integerBits && Number.isInteger(value * 2 ** fractionBits)

/**
 * Makes the engine distil do something, with a window for each source address, all of them empty. Gives what puts its settings
 * back as they were.
 */
export async function configureDistil(
  bus: RegisterBus,
  map: Register[],
  { op, window, above, below }: DistilFunction,
): Promise<(bus: RegisterBus) => Promise<void>> {
  const settings: Record<string, number> = {
    ...Object.fromEntries([...boundWords('above', above), ...boundWords('below', below)]),
    'distil.keyed': 1,
    'distil.op': OPS.indexOf(op),
    'distil.window': Math.max(1, window),
    'distil.enabled': 1,
  }
  const own = map.filter(({ engine, fields }) =>
    fields.some(({ name }) => fieldKey(engine, name) in settings),
  )
  const before = await readFields(bus, own)
  const known = Object.keys(settings).filter((name) => name in before)
  const only = (of: Record<string, number>) => Object.fromEntries(known.map((name) => [name, of[name] ?? 0]))
  await writeSettings(bus, map, only(settings))
  await emptyWindows(bus, map)
  return async (again) => {
    await writeSettings(again, map, only(before))
    await emptyWindows(again, map)
  }
}

/** All windows start anew: bit 1 of `APPLY`. */
const emptyWindows = (bus: RegisterBus, map: Register[]): Promise<void> =>
  bus.write(registerOf(map, 'distil', 'APPLY').address, 3)

const [FRACTION_BITS, LIMIT, MOST_WORDS] = [64, 2 ** 32, 5]

/** A bound of the filter as the registers hold it: fixed point, the lowest word first. What they do not hold is the nearest within. */
function boundWords(name: 'above' | 'below', value: number): [string, number][] {
  const round = name === 'above' ? Math.ceil : Math.floor
  const scaled =
    Math.abs(value) < LIMIT
      ? BigInt(round(value * 2 ** FRACTION_BITS))
      : BigInt(Math.sign(value)) * ((1n << 96n) - 1n)
  return Array.from({ length: MOST_WORDS }, (_, n) => [
    `distil.${name}${n}`,
    Number(BigInt.asUintN(32, scaled >> BigInt(32 * n))),
  ])
}

/** Does something with the registers of a board in a folder. */
async function withRegisters<T>(folder: string, work: (bus: RegisterBus) => Promise<T>): Promise<T> {
  const bus = registersAt(folder)
  try {
    return await work(bus)
  } finally {
    bus.close()
  }
}

/** What became of a reading: absorbed, passed on unchanged, or the last of its window, whose summary left in its place. */
export interface DistilAnswer {
  fate: 'absorbed' | 'passed' | 'summary'
  /** The summary. */
  value?: number
  /** From the end of the reading on its way in to the beginning of what left for it, in cycles; absent when nothing left. */
  cycles?: number
}

const SENDER_MAC = '020000000001'
const SINK: UdpPeer = { mac: '020000000002', address: 0x0afffffe, port: 5683 }
const MARKER_PORT = 9
const FIRST_SOURCE = 0x0a010000
/** How long the times of a frame may come later than the frame, in ms. */
const TIMES_LATE_MS = 100
/** A message of CoAP: version 1, non-confirmable, POST; its id follows, and the marker before the payload. */
const COAP_HEAD = [0x50, 0x02]
const CBOR_DOUBLE = 0xfb

/** The engine distil of a board's build. */
interface DistilBuild {
  figures: DistilFigures
  map: Register[]
  /** Id of the build. */
  build: string
}

/** The engine distil of a simulated board, for one user at a time. */
export class DistilUnit {
  readonly figures: DistilFigures
  /** Id of the board's build. */
  readonly build: string
  readonly #folder: string
  readonly #map: Register[]
  readonly #restore: (bus: RegisterBus) => Promise<void>
  readonly #line: FrameLine
  readonly #clock: FrameTimes
  readonly #times: FrameTime[] = []
  #sent = 0

  private constructor(
    folder: string,
    { figures, map, build }: DistilBuild,
    restore: (bus: RegisterBus) => Promise<void>,
  ) {
    this.#folder = folder
    this.figures = figures
    this.build = build
    this.#map = map
    this.#restore = restore
    this.#line = framesAt(folder)
    this.#clock = new FrameTimes(folder, (time) => this.#times.push(time))
  }

  /**
   * Makes the engine of a board do something, with empty windows. Whoever had the board's frames before has them no more.
   * Throws `board`, `not-found`, `bad-parameters`.
   * @param folder of a board that another process simulates; one that is being loaded is waited for
   * @param former what had the board before and lost it: its settings are put back in the end
   */
  static async open(
    folder: string,
    wanted: DistilFunction,
    cache: FabricCache,
    former?: DistilUnit,
  ): Promise<DistilUnit> {
    await whenNotLoading(folder)
    const found = await DistilUnit.check(folder, cache)
    const restore = await withRegisters(folder, (bus) => configureDistil(bus, found.map, wanted))
    return new DistilUnit(folder, found, former ? former.#restore : restore)
  }

  /** What the engine of a board can do. Throws `bad-parameters` when its build has none, `board`, `not-found`. */
  static async check(folder: string, cache: FabricCache): Promise<DistilBuild> {
    const build = await withRegisters(folder, (bus) => loadedBuild(bus, cache))
    const figures = distilFigures(build.manifest)
    if (figures) return { figures, map: readRegisterMap(build.folder), build: build.manifest.id }
    throw new FabricError(
      'bad-parameters',
      `The fabric of the board in '${folder}' has no engine distil: load a build that has it.`,
    )
  }

  /**
   * Sends a reading, and behind it a frame that passes: when that is back, all that the reading gave has left. Throws `board`.
   * @param source from 0 to `places` - 1
   */
  async give(source: number, value: number): Promise<DistilAnswer> {
    this.#times.length = 0
    this.#sent = (this.#sent + 1) & 0xffff
    const from: UdpPeer = { mac: SENDER_MAC, address: FIRST_SOURCE + source, port: 40_000 }
    const head = Buffer.from([...COAP_HEAD, this.#sent >> 8, this.#sent & 0xff, 0xff, CBOR_DOUBLE])
    const payload = Buffer.alloc(head.length + 9)
    payload.set(head)
    payload.writeDoubleBE(value, head.length)
    // what follows the number is ignored, and tells a reading that passed from a summary
    this.#line.send(datagramFrame(from, SINK, payload))
    this.#line.send(datagramFrame(from, { ...SINK, port: MARKER_PORT }, head))
    let answer: DistilAnswer = { fate: 'absorbed' }
    for (;;) {
      const datagram = datagramOf(await this.#line.receive())
      if (datagram?.from.address !== from.address) continue
      const { to, payload: came } = datagram
      if (to.port === MARKER_PORT && came.equals(head)) break
      if (!came.subarray(0, head.length).equals(head)) continue
      answer =
        came.length === payload.length
          ? { fate: 'passed' }
          : { fate: 'summary', value: came.readDoubleBE(head.length) }
    }
    const cycles = await this.#cycles(answer.fate === 'absorbed' ? 3 : 4)
    return answer.fate === 'absorbed' || cycles === undefined ? answer : { ...answer, cycles }
  }

  /** All windows start anew. Throws `board`. */
  async startAnew(): Promise<void> {
    await withRegisters(this.#folder, (bus) => emptyWindows(bus, this.#map))
  }

  /** Leaves the board as it is. */
  leave(): void {
    this.#clock.close()
    this.#line.close()
  }

  /** Puts the engine's settings back as they were, unless somebody else has taken the board. Throws `board`. */
  async close(): Promise<void> {
    const isOurs = this.#line.isOpen
    this.leave()
    if (isOurs) await withRegisters(this.#folder, this.#restore)
  }

  /**
   * Cycles of the first of two frames.
   * @param moments of their coming and leaving, those that the board has told or will soon
   */
  async #cycles(moments: number): Promise<number | undefined> {
    const until = performance.now() + TIMES_LATE_MS
    while (this.#times.length < moments && performance.now() < until)
      await new Promise((resolve) => setTimeout(resolve, 1))
    const first = (wanted: FrameTime['way']) => this.#times.find(({ way }) => way === wanted)?.cycle
    const [came, left] = [first('in'), first('out')]
    return this.#times.length === moments && came !== undefined && left !== undefined
      ? left - came
      : undefined
  }
}

/** Summaries whose cycles are measured. */
const MEASURED = 5
const MOST_ATTEMPTS = 3
const MEAN_OF_TWO: DistilFunction = { op: 'average', window: 2, above: -Infinity, below: Infinity }

/** What is measured on a board: `cyclesPerItem` are cycles of its clock, `build` is the id of what is loaded. */
type MeasuredDistil = DistilFigures & { cyclesPerItem: number; build: string }

/**
 * Measures what a reading takes in the engine distil of a board, in cycles: the most of several summaries. A board that is loaded
 * meanwhile is measured again. Throws as `DistilUnit.open`.
 */
export async function measureDistil(folder: string, cache: FabricCache): Promise<MeasuredDistil> {
  for (let attempt = 1; ; attempt++)
    try {
      return await measureOnce(folder, cache)
    } catch (error) {
      if (!isLoading(folder) || attempt === MOST_ATTEMPTS) throw error
    }
}

async function measureOnce(folder: string, cache: FabricCache): Promise<MeasuredDistil> {
  const unit = await DistilUnit.open(folder, MEAN_OF_TWO, cache)
  const cycles: number[] = []
  try {
    for (let n = 0; n < 2 * MEASURED; n++) cycles.push((await unit.give(0, 20 + n)).cycles ?? 0)
    if (Math.max(...cycles) === 0)
      throw new FabricError(
        'board',
        `The board in '${folder}' does not tell cycles, as simulated boards do: measure the build on one (\`hivemind fabric sim\`).`,
      )
  } finally {
    await unit.close()
  }
  return { ...unit.figures, cyclesPerItem: Math.max(...cycles), build: unit.build }
}
