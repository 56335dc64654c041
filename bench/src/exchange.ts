/** What the exchange takes, against the brokers that do a part of it. */
import { onceOf, own } from './peers.ts'
import type { Bench, Row } from './table.ts'

interface Measured {
  name: string
  peer: string
  /** Largest ratio of our time to the peer's that is wanted; twice that must hold. None where the peer has fewer processes. */
  goal?: number
  /** Largest time that is wanted, in us; twice that must hold. */
  goalUs?: number
  ratio: number
  oursUs: number
  theirsUs: number
}

function verdictOf({ goal, goalUs, ratio, oursUs }: Measured): string {
  if (goal === undefined && goalUs === undefined) return ''
  const times = goal === undefined ? oursUs / (goalUs as number) : ratio / goal
  if (times <= 1) return 'goal met'
  return times <= 2 ? 'floor met, goal not' : 'not met'
}

/** Needs `redis-server` and `mosquitto`. */
export const exchange: Bench = {
  name: 'exchange',
  title:
    'the exchange with messages of 64 bytes, wall time in us (from publish to subscriber: the median), medians of 5 rounds in turn with the peer',
  async run(): Promise<Row[]> {
    return onceOf<Measured[]>(process.execPath, [own('src/exchange-ours.ts')]).map((measured) => {
      const { name, peer, goal, goalUs, ratio, oursUs, theirsUs } = measured
      return {
        name,
        cpuS: Number.NaN,
        figures: {
          us: oursUs.toFixed(2),
          peer,
          'its us': theirsUs.toFixed(2),
          'times its time': ratio.toFixed(2),
          goal:
            goal === undefined
              ? goalUs === undefined
                ? ''
                : `<= ${goalUs} us`
              : `<= ${goal.toFixed(2)} times`,
          verdict: verdictOf(measured),
        },
      }
    })
  },
}
