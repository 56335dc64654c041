/** What operations of the store take, against the bare thing that each is built on or competes with. */
import { onceOf, own } from './peers.ts'
import type { Bench, Row } from './table.ts'

interface Measured {
  name: string
  peer: string
  /** Largest ratio of our time to the peer's that is wanted; twice that must hold. */
  goal: number
  ratio: number
  oursUs: number
  theirsUs: number
}

const verdictOf = ({ ratio, goal }: Measured): string => {
  if (ratio <= goal) return 'goal met'
  return ratio <= 2 * goal ? 'floor met, goal not' : 'not met'
}

/** Needs `redis-server` 7 or later. */
export const store: Bench = {
  name: 'store',
  title:
    'operations of the store with 64 bytes, wall time of each in us, medians of 5 rounds in turn with the peer, after 5 that do not count',
  async run(): Promise<Row[]> {
    return onceOf<Measured[]>(process.execPath, [own('src/store-ours.ts')]).map((measured) => {
      const { name, peer, goal, ratio, oursUs, theirsUs } = measured
      return {
        name,
        cpuS: Number.NaN,
        figures: {
          us: oursUs.toFixed(2),
          peer,
          'its us': theirsUs.toFixed(2),
          'times its time': ratio.toFixed(2),
          goal: `<= ${goal.toFixed(2)}`,
          verdict: verdictOf(measured),
        },
      }
    })
  },
}
