/** The windows of lanes on a fabric: which place of its table each lane has, and what is computed here instead. */
import type { DistilAnswer, DistilFigures } from '@hivemind/fabric'
import { holdsReading } from '@hivemind/fabric'
import { createOp, keepsState, type Nfu } from '@hivemind/nfu'

/** The engine, as lanes use it. */
export interface Distil {
  readonly figures: DistilFigures
  give(source: number, value: number): Promise<DistilAnswer>
  startAnew(): Promise<void>
}

/** What some values of a lane gave. */
export interface LaneResult {
  outputs: unknown[]
  /** The state of the op afterwards, as software keeps it: so a task may move between fabric and software. */
  state: number[]
  /** Cycles of what left the fabric. */
  cycles: number
}

/** A place in the table of the fabric. */
interface Place {
  source: number
  lane: string
  /** State of the op after the last value that the fabric had of the lane. */
  state: string
  /** Readings that a counter has had before the fabric counted. */
  countedBefore: number
  /** Readings that the fabric has counted at this place. */
  counted: number
  /** Nothing of an unfinished window is left in it. */
  isClean: boolean
}

/** The fabric did something else than the op does: its settings were changed, or the build or the board is broken. */
export class FabricMismatch extends Error {}

/**
 * Runs an op on the fabric. A lane gets a place where a window of it begins. What the fabric cannot do is computed here: readings
 * that fixed point does not hold, and the rest of a window whose beginning the fabric does not have (after a move, a retry, or
 * a load of the board). All that the fabric gives is held against the op.
 */
export class Lanes {
  readonly #nfu: Nfu
  readonly #distil: Distil
  /** By lane, the least recently used first. */
  readonly #places = new Map<string, Place>()
  /** Places with a window that nobody goes on with. */
  readonly #spoilt = new Set<number>()

  constructor(nfu: Nfu, distil: Distil) {
    this.#nfu = nfu
    this.#distil = distil
  }

  /**
   * Gives values of a lane, one after the other. Throws `NfuError` for a value without a number, before anything of it is sent;
   * `FabricMismatch`; and what the engine throws.
   * @param state of the op before
   */
  async run(lane: string, state: readonly number[], values: readonly unknown[]): Promise<LaneResult> {
    const result: LaneResult = { outputs: [], state: [...state], cycles: 0 }
    for (const value of values) {
      const op = createOp(this.#nfu, result.state)
      const expected = op(value)
      const given = await this.#give(lane, result.state, value, expected)
      result.state = op.state()
      const place = this.#places.get(lane)
      if (place && given)
        Object.assign(place, { state: text(result.state), isClean: this.#begins(result.state) })
      else if (place) place.state = ''
      result.outputs.push(...(given?.outputs ?? expected))
      result.cycles += given?.cycles ?? 0
    }
    return result
  }

  /** What the fabric gives for a value; `undefined` when it is not asked or does not hold the value. */
  async #give(
    lane: string,
    state: readonly number[],
    value: unknown,
    expected: readonly unknown[],
  ): Promise<{ outputs: unknown[]; cycles: number } | undefined> {
    const number = this.#numberIn(value)
    if (number === undefined || !holdsReading(number, this.#distil.figures)) return undefined
    if (!keepsState(this.#nfu)) {
      const { fate, cycles = 0 } = await this.#distil.give(0, number)
      return this.#checked({ outputs: fate === 'passed' ? [value] : [], cycles }, expected)
    }
    const place = await this.#placeOf(lane, state)
    if (!place) return undefined
    const { fate, value: summary = Number.NaN, cycles = 0 } = await this.#distil.give(place.source, number)
    if (fate === 'passed')
      throw new FabricMismatch(
        `The fabric passed ${number} on where '${this.#nfu.op}' takes it: somebody has changed its settings.`,
      )
    place.counted += 1
    const isCounter = this.#nfu.op === 'counter'
    const outputs = fate === 'absorbed' ? [] : [isCounter ? summary + place.countedBefore : summary]
    return this.#checked({ outputs, cycles }, expected)
  }

  #numberIn(value: unknown): number | undefined {
    const { field } = this.#nfu
    const found = field === undefined ? value : (value as Record<string, unknown> | null)?.[field]
    // whatever is counted, it is one
    if (this.#nfu.op === 'counter') return 1
    return typeof found === 'number' ? found : undefined
  }

  #checked<T extends { outputs: unknown[] }>(given: T, expected: readonly unknown[]): T {
    if (text(given.outputs) === text(expected)) return given
    throw new FabricMismatch(
      `The fabric gave ${given.outputs.map(String).join(', ') || 'nothing'} where '${this.#nfu.op}' gives ${expected.map(String).join(', ') || 'nothing'}: load its build again.`,
    )
  }

  /** The place of a lane that is as far as the state says, or a new one where a window begins. */
  async #placeOf(lane: string, state: readonly number[]): Promise<Place | undefined> {
    const own = this.#places.get(lane)
    if (own && own.state === text(state)) {
      this.#places.delete(lane)
      this.#places.set(lane, own)
      return own
    }
    if (!this.#begins(state)) return undefined
    if (own && !own.isClean) this.#spoilt.add(own.source)
    const { source, counted } = own?.isClean ? own : await this.#freePlace()
    const [total = 0] = this.#nfu.op === 'counter' ? state : []
    const place: Place = {
      source,
      lane,
      state: text(state),
      countedBefore: total - counted,
      counted,
      isClean: true,
    }
    this.#places.delete(lane)
    this.#places.set(lane, place)
    return place
  }

  /** A place that nobody has, or whose lane is between two windows; all windows start anew when there is none. */
  async #freePlace(): Promise<Pick<Place, 'source' | 'counted'>> {
    const taken = new Set([...this.#spoilt, ...[...this.#places.values()].map(({ source }) => source)])
    for (let source = 0; source < this.#distil.figures.places; source++)
      if (!taken.has(source)) return { source, counted: 0 }
    const resting = [...this.#places.values()].find(({ isClean }) => isClean)
    if (resting) {
      this.#places.delete(resting.lane)
      return resting
    }
    await this.#distil.startAnew()
    this.#places.clear()
    this.#spoilt.clear()
    return { source: 0, counted: 0 }
  }

  /** Whether a window begins after this state. */
  #begins([seen = 0]: readonly number[]): boolean {
    return this.#nfu.op === 'counter' ? seen % this.#nfu.count === 0 : seen === 0
  }
}

const text = (value: readonly unknown[]): string => JSON.stringify(value)
