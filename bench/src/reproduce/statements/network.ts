/** Section 2.2: what the network takes when all is computed in the cloud. */
import { mean, ms, named, p99, type Statement, shareOf } from '../rows.ts'
import { atLeast, from, near, percent } from '../rules.ts'
import type { Study } from '../systems.ts'

const points = (value: number) => `${(100 * value).toFixed(1)} points`

const medians = async ({ all, jobs }: Study) =>
  (await all(jobs(), 'centralised')).map(({ atMedian }) => shareOf(atMedian, 'network'))

export const NETWORK: Statement[] = [
  {
    id: 'network-least',
    where: '2.2, Fig. 3a',
    statement: 'centralised: the network takes at least so much of median latency, in each of the ten jobs',
    theirs: '22 %',
    rule: atLeast(0.22, percent, 0.11),
    calibration: true,
    remark: 'partly: half of it; a job that sends little (S7) can only wait for calls',
    measure: async (study) => {
      const shares = await medians(study)
      const least = Math.min(...shares)
      return { value: least, ours: `${percent(least)} (${named(study.jobs(), shares, percent)})` }
    },
  },
  {
    id: 'network-mean',
    where: '2.2, Fig. 3a',
    statement: 'centralised: the network takes on average of median latency',
    theirs: '33 %',
    rule: near(0.33, 0.07, 0.15),
    calibration: true,
    measure: async (study) => {
      const value = mean(await medians(study))
      return { value, ours: percent(value) }
    },
  },
  {
    id: 'network-tail',
    where: '2.2, Fig. 3a',
    statement: 'and a higher share of tail latency',
    theirs: 'higher',
    rule: atLeast(0.01, points, 0.001),
    calibration: true,
    remark:
      'our links vary by queueing alone: the text does not tell how the rate of a drone in flight varies, while functions vary by half',
    measure: async (study) => {
      const tails = (await study.all(study.jobs(), 'centralised')).map(({ atTail }) =>
        shareOf(atTail, 'network'),
      )
      const value = mean(tails) - mean(await medians(study))
      return { value, ours: `${percent(mean(tails))}, ${points(value)} more` }
    },
  },
  {
    id: 'network-scenarios',
    where: '2.2, Fig. 3a',
    statement: 'this is more pronounced in the two scenarios, which have several phases',
    theirs: 'more',
    rule: atLeast(0.02, points, 0),
    remark: 'Scenario B computes most, which lowers its share',
    measure: async (study) => {
      const { inputs, scenarioA, scenarioB } = study
      const both = [scenarioA, scenarioB].map((of) => of(inputs.frameMB * 1e6, inputs.lightFps))
      const shares = (await study.all(both, 'centralised')).map(({ atMedian }) =>
        shareOf(atMedian, 'network'),
      )
      const value = mean(shares) - mean(await medians(study))
      return { value, ours: `${named(both, shares, percent)}: ${points(value)} more than the jobs` }
    },
  },
  {
    id: 'saturation',
    where: '2.2, Fig. 3b',
    statement:
      'centralised, highest resolution: tail latency is low for fewer than 4 drones, then the network saturates',
    theirs: 'from 4 drones on',
    rule: from(4, 6, 3, 8),
    remark:
      'the first number of drones whose tail is above three times that of one; the text gives the nominal rate of the routers, not what they carried',
    measure: async ({ faces, inputs, run }) => {
      const counts = [1, 2, 3, 4, 5, 6, 8, 12, 16]
      const tails: number[] = []
      for (const devices of counts)
        tails.push(p99(await run(faces(inputs.maxFrameMB * 1e6, inputs.fps), 'centralised', { devices })))
      const value = counts.find((_, index) => (tails[index] as number) > 3 * (tails[0] as number)) ?? 99
      const shown = counts.map((devices, index) => `${devices}: ${ms(tails[index] as number)}`)
      return { value, ours: `${value === 99 ? 'never' : `from ${value} on`} (${shown.join(', ')})` }
    },
  },
]
