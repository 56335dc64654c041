/** Sections 5.1 to 5.3: HiveMind against the centralised and the distributed system, and without some of its parts. */
import type { Breakdown } from '@hivemind/swarm'
import type { SystemName } from '../fleet.ts'
import { count, mean, ms, named, namedValue, p50, p99, ratios, type Statement, shareOf } from '../rows.ts'
import { all, atLeast, atMost, near, percent, times, within } from '../rules.ts'
import type { Outcome, Study } from '../systems.ts'

const runs = (study: Study, system: SystemName) => study.all(study.everything(), system)
const spread = (run: Outcome) => p99(run) / p50(run)
const energy = ({ estimate }: Outcome) => estimate.energyJ
const bandwidth = ({ estimate }: Outcome) => estimate.bandwidthMBps
/** How many times lower the tail latency of HiveMind is than that of another system, for each job and scenario. */
const gains = async (study: Study, over: SystemName) =>
  ratios(await runs(study, over), await runs(study, 'hivemind'), p99)
const change = (ratio: number) => `${ratio < 1 ? '-' : '+'}${(100 * Math.abs(ratio - 1)).toFixed(1)} %`

/** Mean share of a part of tail latency over the ten jobs, or over all with `scenarios`. */
async function tailShare(study: Study, system: SystemName, part: keyof Breakdown, scenarios = true) {
  const outcomes = await runs(study, system)
  return mean(outcomes.slice(0, scenarios ? 12 : 10).map(({ atTail }) => shareOf(atTail, part)))
}

const PERFORMANCE: Statement[] = [
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

/** Mean of a figure over HiveMind's, over all jobs and scenarios. */
const overHive = async (study: Study, system: SystemName, figure: (run: Outcome) => number) =>
  mean(ratios(await runs(study, system), await runs(study, 'hivemind'), figure))

const ABLATIONS: Statement[] = [
  {
    id: 'central-rpc',
    where: '5.1, Fig. 13',
    statement: 'network acceleration improves the centralised system, which remains far from HiveMind',
    theirs: 'far',
    rule: atLeast(1.2, times, 1.05),
    remark: 'its median over HiveMind’s, on average; 0 when it is not better than without',
    measure: async (study) => {
      const over = await overHive(study, 'centralisedRpc', p50)
      const before = await overHive(study, 'centralised', p50)
      return { value: over < before ? over : 0, ours: `${times(over)}; without it ${times(before)}` }
    },
  },
  {
    id: 'central-memory',
    where: '5.1, Fig. 13',
    statement: 'even with remote memory HiveMind outperforms the centralised system',
    theirs: 'still',
    rule: atLeast(1.1, times, 1.02),
    measure: async (study) => {
      const over = await overHive(study, 'centralisedRpcMemory', p50)
      return { value: over, ours: times(over) }
    },
  },
  {
    id: 'distributed-rpc',
    where: '5.1, Fig. 13',
    statement: 'the distributed system barely benefits from acceleration',
    theirs: 'barely',
    rule: atMost(0.05, percent, 0.1),
    measure: async (study) => {
      const value =
        1 - mean(ratios(await runs(study, 'distributedRpc'), await runs(study, 'distributed'), p50))
      return { value, ours: `${percent(value)} lower median` }
    },
  },
  {
    id: 'no-fabric-benefits',
    where: '5.1, Fig. 13',
    statement: 'HiveMind without acceleration still benefits from hybrid execution',
    theirs: 'benefits',
    rule: all(12, 9, 'median at least 5 % lower than centralised'),
    measure: async (study) => {
      const less = ratios(await runs(study, 'hivemindNoFabric'), await runs(study, 'centralised'), p50)
      const value = count(less.map((each) => each <= 0.95))
      return { value, ours: `${value} of 12 (${named(study.everything(), less, change)})` }
    },
  },
  {
    id: 'no-fabric-overheads',
    where: '5.1, Fig. 13',
    statement: 'but is prone to high networking and data transfer overheads',
    theirs: 'high',
    rule: atLeast(1.5, times, 1.2),
    remark: 'mean of both in ms at the median, over that of HiveMind',
    measure: async (study) => {
      const parts = ({ atMedian }: Outcome) => atMedian.network + atMedian.dataExchange
      const sum = async (system: SystemName) => mean((await runs(study, system)).map(parts))
      const [without, hive] = [await sum('hivemindNoFabric'), await sum('hivemind')]
      return { value: without / hive, ours: `${ms(without)} against ${ms(hive)}` }
    },
  },
  {
    id: 'no-single',
    where: '5.1, Fig. 13',
    statement: 'no single technique is sufficient',
    theirs: 'all needed',
    rule: atLeast(1.05, times, 1.01),
    remark:
      'the least of: centralised with all acceleration, distributed with it, HiveMind without; p99 over HiveMind’s, on average',
    measure: async (study) => {
      const systems = ['centralisedRpcMemory', 'distributedRpc', 'hivemindNoFabric'] as const
      const over = await Promise.all(systems.map((system) => overHive(study, system, p99)))
      return { value: Math.min(...over), ours: over.map(times).join(', ') }
    },
  },
]

const USAGE: Statement[] = [
  {
    id: 'energy-distributed',
    where: '5.2, Fig. 14a',
    statement: 'HiveMind uses less energy than the distributed system',
    theirs: 'much less, in all 12',
    rule: all(12, 9, 'at least 20 % less'),
    remark: 'S3, S4 and S7 keep up on board: nothing has to be waited for, and flight is the same',
    measure: async (study) => {
      const less = ratios(await runs(study, 'hivemind'), await runs(study, 'distributed'), energy)
      const value = count(less.map((each) => each <= 0.8))
      return { value, ours: `${value} of 12 (${named(study.everything(), less, change)})` }
    },
  },
  {
    id: 'energy-centralised',
    where: '5.2, Fig. 14a',
    statement: 'and less than the centralised system, in all but S3 and S4',
    theirs: '10 of 10',
    rule: all(10, 8, 'at least 1 % less'),
    remark: 'S7 sends 10 kB a second: there is nothing to save',
    measure: async (study) => {
      const scenarios = study.everything()
      const less = ratios(await runs(study, 'hivemind'), await runs(study, 'centralised'), energy)
      const value = count(
        less.map((each, index) => each <= 0.99 && !['S3', 'S4'].includes(scenarios[index]?.name ?? '')),
      )
      return { value, ours: `${value} of 10 (${named(scenarios, less, change)})` }
    },
  },
  {
    id: 'energy-light',
    where: '5.2, Fig. 14a',
    statement: 'in S3 and S4 it uses slightly more than the centralised system',
    theirs: 'both',
    rule: all(2, 1, '0.1 to 20 % more'),
    remark: 'S3 has no part that could be on board and save anything, so that both systems do the same',
    measure: async (study) => {
      const less = ratios(await runs(study, 'hivemind'), await runs(study, 'centralised'), energy)
      const of = ['S3', 'S4'].map((name) => namedValue(study.everything(), less, name))
      return {
        value: count(of.map((each) => each >= 1.001 && each <= 1.2)),
        ours: `S3 ${change(of[0] ?? 0)}, S4 ${change(of[1] ?? 0)}`,
      }
    },
  },
  {
    id: 'energy-motion',
    where: '5.2',
    statement: 'most power goes into motion, but communication can exhaust the battery as well',
    theirs: 'most',
    rule: near(0.8, 0.15, 0.25),
    remark:
      'share of motion in the energy of the centralised system, mean; a share near 1 would leave nothing to communication',
    measure: async (study) => {
      const outcomes = await runs(study, 'centralised')
      const value = mean(
        outcomes.map(({ estimate, fleet }) => {
          const motionW = fleet.devices[0]?.class.power.motionW ?? 0
          return (motionW * estimate.execTimeMs) / 1000 / estimate.energyJ
        }),
      )
      return { value, ours: percent(value) }
    },
  },
  {
    id: 'energy-scenarios',
    where: '5.2',
    statement: 'in the scenarios the saving is largely due to completing faster',
    theirs: 'largely',
    rule: all(
      2,
      1,
      'at least half of the energy saved against the centralised system is that of the time saved',
    ),
    remark: 'our drones fly their route at the same speed on either system',
    measure: async (study) => {
      const { inputs, run, scenarioA, scenarioB } = study
      const shares = await Promise.all(
        [scenarioA, scenarioB].map(async (of) => {
          const scenario = of(inputs.frameMB * 1e6, inputs.lightFps)
          const [hive, central] = [await run(scenario, 'hivemind'), await run(scenario, 'centralised')]
          const { motionW = 0, idleW = 0 } = hive.fleet.devices[0]?.class.power ?? {}
          const seconds = (central.estimate.execTimeMs - hive.estimate.execTimeMs) / 1000
          return ((motionW + idleW) * seconds) / (energy(central) - energy(hive))
        }),
      )
      return { value: count(shares.map((each) => each >= 0.5)), ours: shares.map(percent).join(', ') }
    },
  },
  {
    id: 'bandwidth-between',
    where: '5.3, Fig. 14b',
    statement: 'HiveMind uses more bandwidth than distributed and less than centralised',
    theirs: 'in between',
    rule: all(12, 9, 'at least 1 % more than distributed and 1 % less than centralised'),
    remark:
      'S3 and S7 are in the cloud in both, S4 is on board in both; in Scenario A the core of the drone is busy with flight',
    measure: async (study) => {
      const hive = await runs(study, 'hivemind')
      const toEdge = ratios(hive, await runs(study, 'distributed'), bandwidth)
      const toCentral = ratios(hive, await runs(study, 'centralised'), bandwidth)
      const value = count(toEdge.map((each, index) => each >= 1.01 && (toCentral[index] as number) <= 0.99))
      return {
        value,
        ours: `${value} of 12 (times the centralised ${named(study.everything(), toCentral, (each) => each.toFixed(2))})`,
      }
    },
  },
  {
    id: 'bandwidth-lower',
    where: '5.3, Fig. 14b',
    statement: 'its usage is much lower than that of the centralised system',
    theirs: 'much lower',
    rule: atMost(0.7, percent, 0.9),
    remark: 'of the centralised system’s, on average',
    measure: async (study) => {
      const value = mean(ratios(await runs(study, 'hivemind'), await runs(study, 'centralised'), bandwidth))
      return { value, ours: percent(value) }
    },
  },
  {
    id: 'bandwidth-tail',
    where: '5.3, Fig. 14b',
    statement: 'tail and average of the bandwidth differ less than in the centralised system',
    theirs: 'less',
    rule: all(12, 8, 'p99 less average, in MB/s, at least 5 % smaller'),
    remark: 'over the bins of a run; our sensors emit at constant rates',
    measure: async (study) => {
      const scenarios = study.everything()
      const over = async (system: SystemName) =>
        (await study.all(scenarios, system, { series: true })).map(({ series, estimate }) => {
          const bins = [...(series?.bandwidthMBps ?? [])].sort((a, b) => a - b)
          return (bins[Math.ceil(0.99 * bins.length) - 1] ?? 0) - estimate.bandwidthMBps
        })
      const [hive, central] = [await over('hivemind'), await over('centralised')]
      const value = count(hive.map((each, index) => each <= 0.95 * (central[index] as number)))
      return {
        value,
        ours: `${value} of 12 (on average ${mean(hive).toFixed(1)} against ${mean(central).toFixed(1)} MB/s)`,
      }
    },
  },
]

export const HIVEMIND: Statement[] = [...PERFORMANCE, ...ABLATIONS, ...USAGE]
