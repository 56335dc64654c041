/** Random DAGs from a seed, with the parameters of DAGGEN: width, regularity, density, and how far edges jump. */
import { convert, type Imported } from './convert.ts'
import { ImportError } from './error.ts'
import { MAX_TASKS, type TraceTask } from './trace.ts'

/** Size and form of a random DAG. The parameters are those of DAGGEN (Suter and Hunold). */
export interface RandomDagOptions {
  /** From 1 to 10,000. */
  tasks: number
  /** Any finite number; the same seed gives the same DAG on every machine. */
  seed: number
  /** 0 for a chain, 0.5 for layers as wide as the DAG is deep, 1 for a single layer; 0.5 when not given. */
  width?: number
  /** Share of the previous layer that a task has as parents: 0 for one parent, 1 for up to all; 0.2 when absent. */
  density?: number
  /** 1 for layers of equal size, 0 for sizes from 0 to twice the mean; 0.5 when absent. */
  regularity?: number
  /** Maximum number of layers that an edge goes back; 1 when absent. */
  jumps?: number
  /** Range of service times on the reference core, in ms; 10 to 1000 when not given. */
  serviceMs?: readonly [number, number]
  /** Range of output sizes in bytes; 1 kB to 2 MB when not given. */
  outputBytes?: readonly [number, number]
}

/** A generator of numbers in [0, 1) with a 32-bit state: a Weyl sequence and a mixing function. */
function generator(seed: number): () => number {
  let state = Math.imul(Math.trunc(seed) ^ Math.trunc(seed / 2 ** 32), 0x85ebca6b) >>> 0
  return () => {
    state = (state + 0x9e3779b9) >>> 0
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad)
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97)
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32
  }
}

/**
 * Generates a DAG. Every task but those of the first layer has a parent in the layer before, and every task but those of
 * the last has a child.
 * @throws ImportError when an option is out of its range
 */
export function randomDag(options: RandomDagOptions): Imported {
  const { tasks: count, seed, width = 0.5, density = 0.2, regularity = 0.5, jumps = 1 } = options
  const { serviceMs = [10, 1000], outputBytes = [1000, 2e6] } = options
  if (!Number.isInteger(count) || count < 1 || count > MAX_TASKS)
    throw new ImportError('tasks', `it must be a whole number from 1 to ${MAX_TASKS}, not ${count}.`)
  if (!Number.isFinite(seed)) throw new ImportError('seed', `it must be a number, not ${seed}.`)
  for (const [name, value] of Object.entries({ width, density, regularity }))
    if (!(value >= 0 && value <= 1)) throw new ImportError(name, `it must be from 0 to 1, not ${value}.`)
  if (!Number.isInteger(jumps) || jumps < 1)
    throw new ImportError('jumps', `it must be a whole number of at least 1, not ${jumps}.`)
  for (const [name, [low, high]] of Object.entries({ serviceMs, outputBytes }))
    if (!(low >= 0 && high >= low && Number.isFinite(high)))
      throw new ImportError(name, `it must be a range of numbers from 0 on, not ${low} to ${high}.`)
  const random = generator(seed)
  const between = (low: number, high: number) => low + (high - low) * random()
  const layers = layersOf(count, width, regularity, random)
  const parents = edgesOf(layers, density, jumps, random)
  const sizes = new Map<string, number | undefined>()
  const id = (at: number) => `task${at + 1}`
  const tasks = parents.map((before, at): TraceTask => {
    sizes.set(`${id(at)}.out`, Math.round(between(...outputBytes)))
    return {
      id: id(at),
      label: id(at),
      parents: before.map(id),
      reads: before.map((parent) => `${id(parent)}.out`),
      writes: [`${id(at)}.out`],
      serviceMs: Math.round(between(...serviceMs) * 1000) / 1000,
      where: id(at),
    }
  })
  return convert({
    name: `random-${count}-${seed}`,
    about: `Random DAG of ${count} ${count === 1 ? 'task' : 'tasks'}: seed ${seed}, width ${width}, density ${density}, regularity ${regularity}, jumps ${jumps}.`,
    tasks,
    sizes,
    origin: 'assumed',
    notes: [],
  })
}

/** Splits the tasks, numbered from 0, into layers. */
function layersOf(count: number, width: number, regularity: number, random: () => number): number[][] {
  const root = Math.sqrt(count)
  const mean = width <= 0.5 ? 1 + (root - 1) * 2 * width : root + (count - root) * (2 * width - 1)
  const layers: number[][] = []
  for (let from = 0; from < count; ) {
    const spread = (1 - regularity) * (2 * random() - 1)
    const size = Math.min(count - from, Math.max(1, Math.round(mean * (1 + spread))))
    const start = from
    layers.push(Array.from({ length: size }, (_, at) => start + at))
    from += size
  }
  return layers
}

function edgesOf(layers: number[][], density: number, jumps: number, random: () => number): number[][] {
  const any = (list: readonly number[]) => list[Math.floor(random() * list.length)] ?? 0
  const parents: Set<number>[] = []
  const childless = new Set<number>()
  for (const [depth, layer] of layers.entries()) {
    const before = layers[depth - 1]
    for (let each = 0; each < layer.length; each++) {
      const own = new Set<number>()
      parents.push(own)
      if (!before) continue
      own.add(any(before))
      const more = Math.floor(random() * density * before.length)
      for (let edge = 0; edge < more; edge++) {
        const back = 1 + Math.floor(random() * Math.min(jumps, depth))
        own.add(any(layers[depth - back] ?? before))
      }
      for (const parent of own) childless.delete(parent)
    }
    for (const task of before ?? [])
      if (childless.has(task)) {
        parents[any(layer)]?.add(task)
        childless.delete(task)
      }
    for (const task of layer) childless.add(task)
  }
  return parents.map((own) => [...own].sort((a, b) => a - b))
}
