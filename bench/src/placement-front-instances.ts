/** Instances of the placement bench: the same plain tables for us and for every peer, in whole numbers. */

export interface Instance {
  /** Times and figures (energy in mJ, cost in micro-USD) by tier: 0 is the cloud, 1 the edge. */
  tasks: { time: number[]; figures: number[][] }[]
  edges: { from: number; to: number; time: number[][]; figures: number[][][] }[]
}

export type Shape = 'random' | 'chain' | 'fork-join' | 'branches' | 'dense' | 'complete'

function randomOf(seed: number): () => number {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

function linksOf(shape: Shape, count: number, random: () => number): [number, number][] {
  const links: [number, number][] = []
  const last = count - 1
  for (let to = 1; to < count; to++) {
    if (shape === 'chain') links.push([to - 1, to])
    else if (shape === 'fork-join') {
      if (to < last) links.push([0, to], [to, last])
    } else if (shape === 'branches') {
      if (to < last) links.push([to <= 4 ? 0 : to - 4, to])
      else for (let from = Math.max(0, to - 4); from < to; from++) links.push([from, to])
    } else {
      const share = (shape === 'complete' ? count : shape === 'dense' ? 6 : 2) / count
      for (let from = 0; from < to; from++) if (random() < share) links.push([from, to])
    }
  }
  return links
}

/** The cloud is 4 to 12 times faster and costs money; the edge costs energy; what changes sides takes time and energy. */
export function instanceOf(shape: Shape, count: number, seed: number): Instance {
  const random = randomOf(seed)
  const between = (low: number, high: number) => Math.round(low + (high - low) * random())
  const tasks = Array.from({ length: count }, () => {
    const cloud = between(100, 500)
    return {
      time: [cloud, cloud * between(4, 12)],
      figures: [
        [0, between(10, 200)],
        [between(200, 2000), 0],
      ],
    }
  })
  const edges = linksOf(shape, count, random).map(([from, to]) => {
    const time = between(50, 1000)
    const energy = between(50, 600)
    return {
      from,
      to,
      time: [
        [0, time],
        [time, 0],
      ],
      figures: [
        [
          [0, 0],
          [energy, 0],
        ],
        [
          [energy, 0],
          [0, 0],
        ],
      ],
    }
  })
  return { tasks, edges }
}
