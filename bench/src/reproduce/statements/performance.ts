/** Section 5.1, Fig. 11 and 12: HiveMind against the centralised and the distributed system. */
import type { Breakdown } from '@hivemind/swarm'
import type { SystemName } from '../fleet.ts'
import { count, mean, named, namedValue, p50, p99, ratios, type Statement, shareOf } from '../rows.ts'
import { all, atLeast, atMost, near, percent, times, within } from '../rules.ts'
import type { Outcome, Study } from '../systems.ts'
import { runs } from './runs.ts'

const spread = (run: Outcome) => p99(run) / p50(run)
/** How many times lower the tail latency of HiveMind is than that of another system, for each job and scenario. */
const gains = async (study: Study, over: SystemName) =>
  ratios(await runs(study, over), await runs(study, 'hivemind'), p99)
/** Mean share of a part of tail latency over the ten jobs, or over all with `scenarios`. */
async function tailShare(study: Study, system: SystemName, part: keyof Breakdown, scenarios = true) {
  const outcomes = await runs(study, system)
  return mean(outcomes.slice(0, scenarios ? 12 : 10).map(({ atTail }) => shareOf(atTail, part)))
}

export const PERFORMANCE: Statement[] = [
  {
    id: 'better-than-both',
    where: '5.1, Fig. 11',
    statement: 'HiveMind’s performance is consistently better than that of both other systems',
    theirs: 'all 12',
    rule: all(12, 9, 'p99 at least 1 % lower than the lower of both'),
    remark: 'S4 is kept on board by the user, as it is in the distributed system',
    measure: async (study) => {
      const [central, edge] = [await gains(study, 'centralised'), await gains(study, 'distributed')]
      const least = central.map((each, index) => Math.min(each, edge[index] as number))
      const value = count(least.map((each) => each >= 1.01))
      return { value, ours: `${value} of 12 (${named(study.everything(), least, times)})` }
    },
  },
  {
    id: 'less-variable',
    where: '5.1, Fig. 11',
    statement: 'and less variable',
    theirs: 'all 12',
    rule: all(12, 9, 'p99 over median lower than on both others'),
    remark:
      'what HiveMind removes (starts, calls, database) is in the median of the others as well: see the width in ms',
    measure: async (study) => {
      const hive = await runs(study, 'hivemind')
      const [central, edge] = [await runs(study, 'centralised'), await runs(study, 'distributed')]
      const value = count(
        hive.map(
          (run, index) =>
            spread(run) < Math.min(spread(central[index] as Outcome), spread(edge[index] as Outcome)),
        ),
      )
      return {
        value,
        ours: `${value} of 12 (mean p99 over median ${mean(hive.map(spread)).toFixed(2)}; centralised ${mean(central.map(spread)).toFixed(2)}, distributed ${mean(edge.map(spread)).toFixed(2)})`,
      }
    },
  },
  {
    id: 'less-variable-ms',
    where: '5.1, Fig. 11',
    statement: 'the same by the width of the distribution in ms, as the plot shows it',
    theirs: 'all 12',
    rule: all(12, 9, 'p99 less median lower than on both others'),
    remark: 'where a long task in the cloud makes most of the latency, its own variation remains',
    measure: async (study) => {
      const width = (run: Outcome) => p99(run) - p50(run)
      const hive = await runs(study, 'hivemind')
      const over = async (system: SystemName) => ratios(hive, await runs(study, system), width)
      const [central, edge] = [await over('centralised'), await over('distributed')]
      const value = count(central.map((each, index) => each < 1 && (edge[index] as number) < 1))
      return {
        value,
        ours: `${value} of 12 (over the centralised ${named(study.everything(), central, times)})`,
      }
    },
  },
  {
    id: 'better-mean',
    where: '5.1',
    statement: 'HiveMind is better than centralised on average by (tail latency)',
    theirs: '56 %',
    rule: within(0.56, 1.25, 2, percent),
    measure: async (study) => {
      const speedups = await gains(study, 'centralised')
      const value = mean(speedups) - 1
      return { value, ours: `${percent(value)} (${named(study.everything(), speedups, times)})` }
    },
  },
  {
    id: 'better-most',
    where: '5.1',
    statement: 'and at most by',
    theirs: '2.85x',
    rule: within(2.85, 1.25, 2, times),
    remark: 'the largest gains are those of short tasks, of which the text says that they gain least',
    measure: async (study) => {
      const value = Math.max(...(await gains(study, 'centralised')))
      return { value, ours: times(value) }
    },
  },
  {
    id: 'benefit-most',
    where: '5.1, Fig. 11',
    statement: 'maze (S6), text recognition (S9) and Scenario B benefit the most',
    theirs: 'these three',
    rule: all(3, 2, 'among the five of 12 with the largest gains over the centralised system'),
    remark: 'in our model a long task gains least by a warm container, and these are the longest',
    measure: async (study) => {
      const scenarios = study.everything()
      const speedups = await gains(study, 'centralised')
      const order = scenarios
        .map(({ name }, index) => ({ name, gain: speedups[index] as number }))
        .sort((a, b) => b.gain - a.gain)
        .map(({ name }) => name)
      const value = count(['S6', 'S9', 'ScB'].map((name) => order.indexOf(name) < 5))
      return { value, ours: `${value} of 3 (in order ${order.join(', ')})` }
    },
  },
  {
    id: 'benefit-least',
    where: '5.1, Fig. 11',
    statement: 'drone detection (S3) and obstacle avoidance (S4) benefit less',
    theirs: 'both',
    rule: all(2, 1, 'gain over the centralised system below the mean of the other ten'),
    remark: 'S3 is short, so that a warm container is most of what it needs',
    measure: async (study) => {
      const scenarios = study.everything()
      const speedups = await gains(study, 'centralised')
      const others = mean(speedups.filter((_, index) => !['S3', 'S4'].includes(scenarios[index]?.name ?? '')))
      const of = ['S3', 'S4'].map((name) => namedValue(scenarios, speedups, name))
      return {
        value: count(of.map((each) => each < others)),
        ours: `S3 ${times(of[0] ?? 0)}, S4 ${times(of[1] ?? 0)}, the others ${times(others)}`,
      }
    },
  },
  {
    id: 'over-distributed',
    where: '5.1, Fig. 11',
    statement: 'computing on the drones is poor and unpredictable for maze, text recognition and Scenario B',
    theirs: 'poor',
    rule: all(3, 2, 'p99 at least twice that of HiveMind'),
    measure: async (study) => {
      const over = await gains(study, 'distributed')
      const of = ['S6', 'S9', 'ScB'].map((name) => namedValue(study.everything(), over, name))
      return { value: count(of.map((each) => each >= 2)), ours: of.map((each) => times(each)).join(', ') }
    },
  },
  {
    id: 'network-after',
    where: '5.1, Fig. 12',
    statement: 'HiveMind: networking takes on average of tail latency, against 33 % centralised',
    theirs: '9.3 %',
    rule: near(0.093, 0.05, 0.1),
    remark: 'after the selection on board little is left to send',
    measure: async (study) => {
      const value = await tailShare(study, 'hivemind', 'network')
      return {
        value,
        ours: `${percent(value)} against ${percent(await tailShare(study, 'centralised', 'network'))}`,
      }
    },
  },
  {
    id: 'management-after',
    where: '5.1, Fig. 12',
    statement: 'the time of management drops significantly',
    theirs: 'significantly',
    rule: atMost(0.5, percent, 0.8),
    remark: 'of tail latency, in ms, over that of the centralised system, on average',
    measure: async (study) => {
      const less = ratios(
        await runs(study, 'hivemind'),
        await runs(study, 'centralised'),
        ({ atTail }) => atTail.management,
      )
      return {
        value: mean(less),
        ours: `${percent(mean(less))} of it (${named(study.everything(), less, percent)})`,
      }
    },
  },
  {
    id: 'exchange-after',
    where: '5.1, Fig. 12',
    statement: 'remote memory considerably reduces the exchange of data',
    theirs: 'considerably',
    rule: atMost(0.5, percent, 0.8),
    remark:
      'of tail latency, in ms, over that of the centralised system, on average over those that exchange data in the cloud',
    measure: async (study) => {
      const exchange = ({ atTail }: Outcome) => atTail.dataExchange
      const [hive, central] = [await runs(study, 'hivemind'), await runs(study, 'centralised')]
      const own = central.flatMap((run, index) =>
        exchange(run) > 0 ? [exchange(hive[index] as Outcome) / exchange(run)] : [],
      )
      return { value: mean(own), ours: `${percent(mean(own))} of it` }
    },
  },
  {
    id: 'execution-after',
    where: '5.1, Fig. 12',
    statement: 'the share of execution increases',
    theirs: 'increases',
    rule: atLeast(0.05, (value) => `${(100 * value).toFixed(0)} points more`, 0),
    measure: async (study) => {
      const [hive, central] = [
        await tailShare(study, 'hivemind', 'execution'),
        await tailShare(study, 'centralised', 'execution'),
      ]
      return { value: hive - central, ours: `${percent(hive)} of tail latency against ${percent(central)}` }
    },
  },
  {
    id: 'some-on-board',
    where: '4.2, 5.1',
    statement: 'execution is hybrid: part of the work is on board, and part in the cloud',
    theirs: 'hybrid',
    rule: all(12, 8, 'tasks that could be on either side are on both'),
    remark: 'S3, S4 and S7 have one such task, which is on one side; S4 is kept on board by the user',
    measure: async (study) => {
      const outcomes = await runs(study, 'hivemind')
      const isHybrid = outcomes.map(({ placement }) => {
        const free = Object.entries(placement).filter(
          ([task]) => !['sense', 'act', 'avoidObstacles', 'aggregate', 'deduplicate'].includes(task),
        )
        return new Set(free.map(([, tier]) => tier)).size > 1
      })
      const board = outcomes.map(({ placement }) =>
        Object.entries(placement)
          .filter(([task, tier]) => tier === 'edge' && !['sense', 'act', 'avoidObstacles'].includes(task))
          .map(([task]) => task)
          .join('+'),
      )
      const shown = study.everything().map(({ name }, index) => `${name} ${board[index] || 'none'}`)
      return { value: count(isHybrid), ours: `${count(isHybrid)} of 12 (on board: ${shown.join(', ')})` }
    },
  },
]
