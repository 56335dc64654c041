/** The sets of inputs that every statement is simulated with: as shipped, the middle, both ends of each range, and random draws. */
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { type InputName, type Inputs, MIDDLE, QUANTITIES, type Quantity, SHIPPED } from './parameters.ts'
import { type Row, rowOf } from './rows.ts'
import { STATEMENTS } from './statements/index.ts'
import { type Known, study } from './systems.ts'

/** Sets in which every input is drawn from its range. */
const DRAWS = 10

/** A set of inputs by name: `shipped`, `middle`, `coldStartMs low`, `draw 1`. */
export interface InputSet {
  name: string
  inputs: Inputs
}

/** The rows of a set. */
export interface SetRows {
  name: string
  rows: Row[]
}

const ranged = Object.entries<Quantity>(QUANTITIES).flatMap(([name, { range }]) =>
  range ? [[name as InputName, range] as const] : [],
)

/** Numbers in (0, 1) that are the same in every run (a linear congruential generator). */
function numbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return (state + 0.5) / 2 ** 32
  }
}

function drawn(seed: number): Inputs {
  const next = numbers(seed)
  const inputs = { ...SHIPPED }
  for (const [name, [low, high]] of ranged) inputs[name] = low + next() * (high - low)
  return inputs
}

/** All sets; the first is `shipped`, the second `middle`. */
export function inputSets(): InputSet[] {
  return [
    { name: 'shipped', inputs: SHIPPED },
    { name: 'middle', inputs: MIDDLE },
    ...ranged.flatMap(([name, [low, high]]) => [
      { name: `${name} low`, inputs: { ...SHIPPED, [name]: low } },
      { name: `${name} high`, inputs: { ...SHIPPED, [name]: high } },
    ]),
    ...Array.from({ length: DRAWS }, (_, index) => ({
      name: `draw ${index + 1}`,
      inputs: drawn(1000 + index),
    })),
  ]
}

/** The rows of one set. `known` is shared among sets, which have much in common. */
export async function rowsOf({ name, inputs }: InputSet, known: Known = new Map()): Promise<SetRows> {
  const experiments = study(inputs, known)
  const rows: Row[] = []
  for (const statement of STATEMENTS) rows.push(await rowOf(statement, experiments))
  return { name, rows }
}

/** The rows of all sets, in their order, on as many threads as there are cores; `onSet` hears of each. */
export async function rowsOfAll(
  sets: readonly InputSet[],
  onSet: (done: SetRows) => void,
): Promise<SetRows[]> {
  const results: SetRows[] = []
  let next = 0
  const thread = () =>
    new Promise<void>((resolve, reject) => {
      const worker = new Worker(new URL('./sets-worker.ts', import.meta.url))
      const send = () => {
        const index = next++
        if (index < sets.length) worker.postMessage({ index, set: sets[index] })
        else void worker.terminate().then(() => resolve(), reject)
      }
      worker.on('message', ({ index, rows }: { index: number; rows: SetRows }) => {
        results[index] = rows
        onSet(rows)
        send()
      })
      worker.once('error', reject)
      send()
    })
  await Promise.all(Array.from({ length: Math.min(availableParallelism(), sets.length) }, thread))
  return results
}
