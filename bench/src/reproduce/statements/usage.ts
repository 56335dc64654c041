/** Sections 5.2 and 5.3: energy and bandwidth of the three systems. */
import type { SystemName } from '../fleet.ts'
import { count, mean, named, namedValue, ratios, type Statement } from '../rows.ts'
import { all, atMost, near, percent } from '../rules.ts'
import type { Outcome } from '../systems.ts'
import { change, runs } from './runs.ts'

const energy = ({ estimate }: Outcome) => estimate.energyJ
const bandwidth = ({ estimate }: Outcome) => estimate.bandwidthMBps
export const USAGE: Statement[] = [
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
