/** Section 2.3: centralised against distributed execution. */
import { count, mean, named, namedValue, p50, p99, ratios, type Statement } from '../rows.ts'
import { all, atLeast, times } from '../rules.ts'
import type { Outcome, Study } from '../systems.ts'

const LIGHT = ['S3', 'S4', 'S7']

/** Median on the device over median in the cloud. */
const overCloud = async ({ all: runs, jobs }: Study) =>
  ratios(await runs(jobs(), 'distributed'), await runs(jobs(), 'centralised'), p50)

const spread = (run: Outcome) => p99(run) / p50(run)
const width = (run: Outcome) => p99(run) - p50(run)

const bothScenarios = ({ scenarioA, scenarioB, inputs }: Study) =>
  [scenarioA, scenarioB].map((of) => of(inputs.frameMB * 1e6, inputs.lightFps))

export const SIDES: Statement[] = [
  {
    id: 'cloud-faster',
    where: '2.3, Fig. 4a',
    statement: 'most jobs are faster in the cloud than on the devices: all but S3, S4 and S7',
    theirs: '7 of 7',
    rule: all(7, 5, 'above 1.2 times'),
    calibration: true,
    measure: async (study) => {
      const ratio = await overCloud(study)
      const heavy = study.jobs().filter(({ name }) => !LIGHT.includes(name))
      const value = count(heavy.map(({ name }) => namedValue(study.jobs(), ratio, name) > 1.2))
      return {
        value,
        ours: `${value} of 7 (median on the device over median in the cloud: ${named(study.jobs(), ratio, (each) => each.toFixed(1))})`,
      }
    },
  },
  {
    id: 'comparable',
    where: '2.3, Fig. 4a',
    statement: 'drone detection (S3) and weather analytics (S7) are about as fast on either side',
    theirs: 'comparable',
    rule: all(2, 1, 'within a factor of 2'),
    calibration: true,
    measure: async (study) => {
      const ratio = await overCloud(study)
      const of = (name: string) => namedValue(study.jobs(), ratio, name)
      const value = count(['S3', 'S7'].map((name) => of(name) > 0.5 && of(name) < 2))
      return { value, ours: `S3 ${times(of('S3'))}, S7 ${times(of('S7'))}` }
    },
  },
  {
    id: 'avoidance-on-board',
    where: '2.3, Fig. 4a',
    statement: 'obstacle avoidance (S4) is faster on the devices',
    theirs: 'faster',
    rule: atLeast(1.05, times, 1),
    calibration: true,
    measure: async (study) => {
      const value = 1 / namedValue(study.jobs(), await overCloud(study), 'S4')
      return { value, ours: `${times(value)} as fast as in the cloud` }
    },
  },
  {
    id: 'cloud-predictable',
    where: '2.3, Fig. 4a',
    statement: 'for most jobs centralised execution is more predictable than on board',
    theirs: 'most jobs',
    rule: all(7, 5, 'p99 over median at least 5 % lower in the cloud'),
    remark:
      'of the seven jobs that are faster in the cloud; an overloaded drone is late evenly, so that its tail is near its median; see the width in ms',
    measure: async (study) => {
      const jobs = study.jobs().filter(({ name }) => !LIGHT.includes(name))
      const less = ratios(await study.all(jobs, 'centralised'), await study.all(jobs, 'distributed'), spread)
      const value = count(less.map((each) => each <= 0.95))
      return { value, ours: `${value} of 7 (cloud over devices: ${named(jobs, less, times)})` }
    },
  },
  {
    id: 'cloud-predictable-ms',
    where: '2.3, Fig. 4a',
    statement: 'the same by the width of the distribution in ms, as a violin plot shows it',
    theirs: 'most jobs',
    rule: all(7, 5, 'p99 less median at least 5 % lower in the cloud'),
    remark: 'of the seven jobs that are faster in the cloud',
    measure: async (study) => {
      const jobs = study.jobs().filter(({ name }) => !LIGHT.includes(name))
      const less = ratios(await study.all(jobs, 'centralised'), await study.all(jobs, 'distributed'), width)
      const value = count(less.map((each) => each <= 0.95))
      return { value, ours: `${value} of 7 (cloud over devices: ${named(jobs, less, times)})` }
    },
  },
  {
    id: 'scenarios-similar',
    where: '2.3, Fig. 4b',
    statement: 'the two scenarios behave alike: they are faster in the cloud',
    theirs: 'both',
    rule: all(2, 1, 'above 1.2 times'),
    measure: async (study) => {
      const both = bothScenarios(study)
      const ratio = ratios(await study.all(both, 'distributed'), await study.all(both, 'centralised'), p50)
      return { value: count(ratio.map((each) => each > 1.2)), ours: named(both, ratio, times) }
    },
  },
  {
    id: 'scenario-b-more',
    where: '2.3, Fig. 4b',
    statement: 'and more so in Scenario B, which computes more',
    theirs: 'more',
    rule: atLeast(1.2, times, 1.05),
    remark: 'advantage of the cloud in B over that in A',
    measure: async (study) => {
      const both = bothScenarios(study)
      const [a = 0, b = 0] = ratios(
        await study.all(both, 'distributed'),
        await study.all(both, 'centralised'),
        p50,
      )
      return { value: b / a, ours: times(b / a) }
    },
  },
  {
    id: 'cloud-traffic',
    where: '2.3',
    statement: 'the cloud greatly increases network traffic',
    theirs: 'greatly',
    rule: all(12, 9, 'at least five times the bytes of the distributed system'),
    measure: async (study) => {
      const scenarios = study.everything()
      const bytes = ({ estimate }: Outcome) => (estimate.bandwidthMBps * estimate.execTimeMs) / 1000
      const more = ratios(
        await study.all(scenarios, 'centralised'),
        await study.all(scenarios, 'distributed'),
        bytes,
      )
      const value = count(more.map((each) => each >= 5))
      return { value, ours: `${value} of 12 (${named(scenarios, more, (each) => each.toFixed(0))} times)` }
    },
  },
  {
    id: 'unfinished',
    where: '2.3, 5.2',
    statement: 'on the devices alone, Scenario B is left incomplete: several drones run out of power',
    theirs: 'several',
    rule: atLeast(
      2,
      (drones) => `${drones} drones run empty with frames left, and none on the other systems`,
      1,
    ),
    measure: async (study) => {
      const { run, scenarioB } = study
      const of = (system: 'distributed' | 'centralised' | 'hivemind') =>
        run(scenarioB(), system, { conditions: { batteries: true } })
      const [edge, central, hive] = [await of('distributed'), await of('centralised'), await of('hivemind')]
      const others = central.outages.length + hive.outages.length
      const finished = edge.items.finished / edge.items.planned
      const value = finished < 1 && others === 0 ? edge.outages.length : 0
      return {
        value,
        ours: `${edge.outages.length} of 16 drones run empty, ${(100 * finished).toFixed(1)} % of the frames are finished; on the other systems ${others} run empty`,
      }
    },
  },
  {
    id: 'battery-quickly',
    where: '2.3',
    statement: 'on-board execution quickly drains the battery',
    theirs: 'quickly',
    rule: atLeast(1.5, times, 1.2),
    remark:
      'energy on the devices alone over that of the centralised system, mean of the seven heavy jobs and the scenarios',
    measure: async (study) => {
      const scenarios = study.everything().filter(({ name }) => !LIGHT.includes(name))
      const more = ratios(
        await study.all(scenarios, 'distributed'),
        await study.all(scenarios, 'centralised'),
        ({ estimate }) => estimate.energyJ,
      )
      return { value: mean(more), ours: `${times(mean(more))} (${named(scenarios, more, times)})` }
    },
  },
]
