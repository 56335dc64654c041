/** Lanes against a model of the engine; `libs/fabric/test/tier.hdl.test.ts` has the engine itself. */
import type { DistilAnswer } from '@hivemind/fabric'
import { createOp, type Nfu, type Op, parseNfu } from '@hivemind/nfu'
import { expect, test } from 'vitest'
import { type Distil, FabricMismatch, Lanes } from './lanes.ts'

const figures = { clockMHz: 125, integerBits: 32, fractionBits: 64 }
const CYCLES = 129

/** The engine as docs/fabric.md describes it: a window for each source, readings beyond fixed point pass. */
class Engine implements Distil {
  readonly figures
  given = 0
  sweeps = 0
  #units = new Map<number, Op>()
  readonly #nfu: Nfu
  readonly #bias: number

  constructor(nfu: Nfu, { places = 4, bias = 0 } = {}) {
    this.#nfu = { ...nfu, field: undefined }
    this.figures = { ...figures, places }
    this.#bias = bias
  }

  async give(source: number, value: number): Promise<DistilAnswer> {
    expect(source).toBeLessThan(this.figures.places)
    if (!Number.isInteger(value * 2 ** 64) || Math.abs(value) >= 2 ** 32)
      return { fate: 'passed', cycles: 52 }
    this.given += 1
    const unit = this.#units.get(source) ?? createOp(this.#nfu)
    this.#units.set(source, unit)
    const [output] = unit(value) as (number | undefined)[]
    if (output === undefined) return { fate: 'absorbed' }
    if (['forward', 'filter'].includes(this.#nfu.op)) return { fate: 'passed', cycles: 52 }
    return { fate: 'summary', value: output + this.#bias, cycles: CYCLES }
  }

  async startAnew(): Promise<void> {
    this.sweeps += 1
    this.#units.clear()
  }
}

/** The same numbers every time, from 0 to 1. */
function randomNumbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

const CODES = [
  'nfu:average?window=4',
  'nfu:min?window=3',
  'nfu:max?window=1',
  'nfu:counter?count=3',
  'nfu:filter?above=0.25&below=0.75',
  'nfu:forward',
]

test.each(CODES)('%s gives on lanes what it gives in software, whatever is lost on the way', async (code) => {
  for (let seed = 1; seed <= 40; seed++) {
    const random = randomNumbers(seed)
    const nfu = parseNfu(code)
    const engine = new Engine(nfu, { places: 1 + Math.floor(random() * 4) })
    let lanes = new Lanes(nfu, engine)
    const states = new Map<string, number[]>()
    for (let n = 0; n < 120; n++) {
      const lane = `lane ${Math.floor(random() * 5)}`
      const before = states.get(lane) ?? []
      const values = Array.from({ length: 1 + Math.floor(random() * 4) }, () =>
        random() < 0.1 ? 1e-30 * random() : Math.round(random() * 1024) / 1024,
      )
      const op = createOp(nfu, before)
      const expected = values.flatMap((value) => op(value))
      const { outputs, state } = await lanes.run(lane, before, values)
      expect(outputs).toEqual(expected)
      expect(state).toEqual(op.state())
      // a try whose result is lost is made again from the state before
      if (random() < 0.8) states.set(lane, state)
      // the board is loaded, and taken again
      if (random() < 0.03) {
        await engine.startAnew()
        lanes = new Lanes(nfu, engine)
      }
    }
  }
})

test('the fabric computes all that it can: a lane that goes on is never computed elsewhere', async () => {
  const nfu = parseNfu('nfu:average?window=5')
  const engine = new Engine(nfu, { places: 3 })
  const lanes = new Lanes(nfu, engine)
  let cycles = 0
  for (const lane of ['a', 'b', 'c']) {
    const values = Array.from({ length: 50 }, (_, n) => n)
    cycles += (await lanes.run(lane, [], values)).cycles
  }
  expect(engine.given).toBe(150)
  expect(engine.sweeps).toBe(0)
  expect(cycles).toBe(30 * CYCLES)
  // the lanes of a run that has ended between two windows leave their places to others
  for (const lane of ['d', 'e', 'f']) await lanes.run(lane, [], [1, 2, 3])
  expect(engine.given).toBe(159)
  expect(engine.sweeps).toBe(0)
  // and in the midst of a window, after all windows have started anew
  await lanes.run('g', [], [1, 2, 3])
  expect(engine.sweeps).toBe(1)
})

test('a reading that fixed point does not hold is computed here, with the rest of its window', async () => {
  const nfu = parseNfu('nfu:max?window=3')
  const engine = new Engine(nfu)
  const { outputs } = await new Lanes(nfu, engine).run('a', [], [1, 2 ** 40, 3, 4, 5, 6])
  expect(outputs).toEqual([2 ** 40, 6])
  expect(engine.given).toBe(4)
})

test('a fabric that computes wrongly is found out', async () => {
  const nfu = parseNfu('nfu:average?window=2')
  const lanes = new Lanes(nfu, new Engine(nfu, { bias: 1 }))
  await expect(lanes.run('a', [], [1, 3])).rejects.toThrow(
    new FabricMismatch("The fabric gave 3 where 'average' gives 2: load its build again."),
  )
})

test('a value without a number is refused before anything of it is sent', async () => {
  const nfu = parseNfu('nfu:average?window=2&field=t')
  const engine = new Engine(nfu)
  const lanes = new Lanes(nfu, engine)
  await expect(lanes.run('a', [], [{ t: 'warm' }])).rejects.toThrow("The value has no number in 't'.")
  expect(engine.given).toBe(0)
  expect((await lanes.run('a', [], [{ t: 1 }, { t: 2 }])).outputs).toEqual([1.5])
})

test('what is not a number goes on unchanged', async () => {
  const nfu = parseNfu('nfu:forward')
  expect((await new Lanes(nfu, new Engine(nfu)).run('a', [], ['hello', 2])).outputs).toEqual(['hello', 2])
})
