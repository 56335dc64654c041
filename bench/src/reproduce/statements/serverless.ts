/** Sections 3.2 and 3.3: what serverless offers to edge jobs, and what it costs them. */
import { withHandOver } from '@hivemind/swarm'
import { count, mean, ms, named, namedValue, p50, p99, ratios, type Statement, startShare } from '../rows.ts'
import { all, atLeast, atMost, near, percent, times } from '../rules.ts'
import type { Scenario } from '../scenarios.ts'
import type { Outcome, Setting, Study } from '../systems.ts'

/** Time within the cloud: section 3 leaves out the network. */
const inCloud = ({ atMedian, estimate }: Outcome) => estimate.latencyMs.p50 - atMedian.network
const tailInCloud = ({ atTail, estimate }: Outcome) => estimate.latencyMs.p99 - atTail.network
const spreadInCloud = (run: Outcome) => tailInCloud(run) / inCloud(run)
const widthInCloud = (run: Outcome) => tailInCloud(run) - inCloud(run)

/** Core time of the functions of a scenario, in cores that are busy on average. */
function coresOf({ profile, workflow }: Scenario, devices = 16): number {
  const rate = Number.parseFloat(String(workflow.tasks[0]?.args.rate))
  const perItem = workflow.tasks
    .filter(({ directives }) => directives.place?.tier !== 'edge' && !directives.synchronize)
    .reduce((sum, { name }) => sum + (profile.tasks[name]?.cloud?.serviceMs.mean ?? 0), 0)
  return (devices * rate * perItem) / 1000
}

/** Fixed resources: so many containers that run all the time, and no more. */
const fixed = (slots: number): Setting => ({
  change: (fleet) => ({
    ...fleet,
    cloud: {
      ...fleet.cloud,
      servers: 1,
      coresPerServer: slots,
      coldStartMs: 0,
      dispatchMs: 0,
      keepAliveS: 1e6,
    },
  }),
})

/** Fixed resources with the CPU time that the job takes, against serverless: median within the cloud. */
async function fixedOverServerless(study: Study): Promise<number[]> {
  return Promise.all(
    study.jobs().map(async (job) => {
      const slots = Math.max(1, Math.floor(coresOf(job)))
      return (
        inCloud(await study.run(job, 'centralised', fixed(slots))) /
        inCloud(await study.run(job, 'centralised'))
      )
    }),
  )
}

/** The jobs on reserved resources that are not overloaded: twice the cores that are busy on average, and two. */
const reserved = (study: Study) =>
  Promise.all(
    study.jobs().map((job) => study.run(job, 'centralised', fixed(Math.ceil(2 * coresOf(job)) + 2))),
  )

const EXCEPTIONS = ['S6', 'S7', 'S8']
const STEPS = [1, 2, 4, 8, 8, 4, 2, 1]
const LOAD = STEPS.map((factor, index) => ({ fromMs: index * 5000, factor }))

/** Face recognition with a load that goes up and down (Fig. 5b): p99 of serverless and of both fixed deployments. */
async function fluctuating({ faces, inputs, run }: Study) {
  const scenario = faces(inputs.frameMB * 1e6, 1, { seconds: 120, rate: 0.5 })
  const conditions = { load: LOAD }
  const busy = coresOf(scenario)
  const of = async (setting: Setting) => p99(await run(scenario, 'centralised', { ...setting, conditions }))
  const most = Math.ceil(busy * 8 * 1.3)
  return {
    serverless: await of({}),
    average: await of(fixed(Math.ceil(busy * mean(STEPS)))),
    most: await of(fixed(most)),
    used: (busy * mean(STEPS)) / most,
  }
}

const shares = async ({ all: runs, jobs }: Study, at: 'atMedian' | 'atTail') =>
  (await runs(jobs(), 'centralised')).map((run) => startShare(run[at]))

const bothScenarios = ({ scenarioA, scenarioB, inputs }: Study) =>
  [scenarioA, scenarioB].map((of) => of(inputs.frameMB * 1e6, inputs.lightFps))

/** Both scenarios in the cloud with a kind of hand-over. */
const handedOver = (study: Study, kind: 'store' | 'direct' | 'co-placed') =>
  study.all(bothScenarios(study), 'centralised', { change: (fleet) => withHandOver(fleet, kind) })

export const SERVERLESS: Statement[] = [
  {
    id: 'fixed-slower',
    where: '3.2, Fig. 5a',
    statement:
      'serverless is almost always an order of magnitude faster than fixed resources with the same CPU time',
    theirs: '7 of 7',
    rule: all(7, 4, 'median at least 5 times lower'),
    remark:
      'without maze, weather and soil (next row); half of an order of magnitude counts; the text does not tell how many cores the fixed allocation had: with those that are busy on average, rounded down, a job is as late as what is cut off makes it',
    measure: async (study) => {
      const over = await fixedOverServerless(study)
      const jobs = study.jobs()
      const value = count(
        over.map((each, index) => each >= 5 && !EXCEPTIONS.includes(jobs[index]?.name ?? '')),
      )
      return { value, ours: `${value} of 7 (${named(jobs, over, times)})` }
    },
  },
  {
    id: 'fixed-exceptions',
    where: '3.2, Fig. 5a',
    statement: 'but maze, weather and soil analytics do not gain much',
    theirs: '3 of 3',
    rule: all(3, 2, 'median less than 2 times lower'),
    remark: 'the same; S7 needs less than four cores, of which rounding takes a good part',
    measure: async (study) => {
      const over = await fixedOverServerless(study)
      const of = EXCEPTIONS.map((name) => namedValue(study.jobs(), over, name))
      return {
        value: count(of.map((each) => each < 2)),
        ours: EXCEPTIONS.map((name, index) => `${name} ${times(of[index] as number)}`).join(', '),
      }
    },
  },
  {
    id: 'parallelism',
    where: '3.2, Fig. 5a',
    statement: 'intra-task parallelism makes jobs faster still',
    theirs: 'all',
    rule: all(10, 7, 'median within the cloud at least 5 % lower'),
    measure: async (study) => {
      const parts = await study.all(study.jobs({ parts: true }), 'centralised')
      const gain = ratios(await study.all(study.jobs(), 'centralised'), parts, inCloud)
      const value = count(gain.map((each) => each >= 1 / 0.95))
      return { value, ours: `${value} of 10 (${named(study.jobs(), gain, times)})` }
    },
  },
  {
    id: 'parallelism-dramatic',
    where: '3.2, Fig. 5a',
    statement: 'the improvement is dramatic for text recognition (S9) and SLAM (S10)',
    theirs: 'both',
    rule: all(2, 1, 'median within the cloud at most half'),
    measure: async (study) => {
      const parts = await study.all(study.jobs({ parts: true }), 'centralised')
      const gain = ratios(await study.all(study.jobs(), 'centralised'), parts, inCloud)
      const of = ['S9', 'S10'].map((name) => namedValue(study.jobs(), gain, name))
      return {
        value: count(of.map((each) => each >= 2)),
        ours: `S9 ${times(of[0] ?? 0)}, S10 ${times(of[1] ?? 0)}`,
      }
    },
  },
  {
    id: 'average-saturates',
    where: '3.2, Fig. 5b',
    statement: 'load that goes up and down: fixed resources for the average saturate',
    theirs: 'saturates',
    rule: atLeast(3, times, 2),
    remark:
      'their p99 over that of serverless; when load is highest, the one database that all functions share holds serverless up as well',
    measure: async (study) => {
      const { average, serverless } = await fluctuating(study)
      return {
        value: average / serverless,
        ours: `${ms(average)} against ${ms(serverless)}, ${times(average / serverless)}`,
      }
    },
  },
  {
    id: 'most-follows',
    where: '3.2, Fig. 5b',
    statement: 'serverless closely follows the load, as do fixed resources for the most',
    theirs: 'follows',
    rule: atMost(2, times, 3),
    remark: 'p99 of serverless over that of fixed resources for the most',
    measure: async (study) => {
      const { most, serverless } = await fluctuating(study)
      return {
        value: serverless / most,
        ours: `${ms(serverless)} against ${ms(most)}, ${times(serverless / most)}`,
      }
    },
  },
  {
    id: 'variability',
    where: '3.3, Fig. 6a',
    statement: 'latency varies more with serverless than on reserved resources, for all ten jobs',
    theirs: 'all',
    rule: all(10, 7, 'p99 over median at least 2 % higher'),
    remark: 'the start of a container adds to the median as well as to the tail',
    measure: async (study) => {
      const jobs = study.jobs()
      const more = ratios(await study.all(jobs, 'centralised'), await reserved(study), spreadInCloud)
      const value = count(more.map((each) => each >= 1.02))
      return { value, ours: `${value} of 10 (${named(jobs, more, times)})` }
    },
  },
  {
    id: 'variability-ms',
    where: '3.3, Fig. 6a',
    statement: 'the same by the width of the distribution in ms, as a violin plot shows it',
    theirs: 'all',
    rule: all(10, 7, 'p99 less median at least 2 % higher'),
    measure: async (study) => {
      const jobs = study.jobs()
      const more = ratios(await study.all(jobs, 'centralised'), await reserved(study), widthInCloud)
      const value = count(more.map((each) => each >= 1.02))
      return { value, ours: `${value} of 10 (${named(jobs, more, times)})` }
    },
  },
  {
    id: 'start-median',
    where: '3.3, Fig. 6b',
    statement: 'within the cloud, starting containers takes on average of median latency',
    theirs: '22 %',
    rule: near(0.22, 0.06, 0.12),
    calibration: true,
    remark: 'ours includes scheduling',
    measure: async (study) => {
      const values = await shares(study, 'atMedian')
      return {
        value: mean(values),
        ours: `${percent(mean(values))} (${named(study.jobs(), values, percent)})`,
      }
    },
  },
  {
    id: 'start-tail',
    where: '3.3, Fig. 6b',
    statement: 'and of tail latency',
    theirs: '29 %',
    rule: near(0.29, 0.08, 0.15),
    calibration: true,
    measure: async (study) => {
      const value = mean(await shares(study, 'atTail'))
      return { value, ours: percent(value) }
    },
  },
  {
    id: 'start-weather',
    where: '3.3, Fig. 6b',
    statement: 'for weather analytics more than',
    theirs: '40 %',
    rule: atLeast(0.4, percent, 0.3),
    calibration: true,
    measure: async (study) => {
      const value = namedValue(study.jobs(), await shares(study, 'atMedian'), 'S7')
      return { value, ours: percent(value) }
    },
  },
  {
    id: 'start-maze',
    where: '3.3, Fig. 6b',
    statement: 'for the maze less than',
    theirs: '20 %',
    rule: atMost(0.2, percent, 0.25),
    calibration: true,
    measure: async (study) => {
      const value = namedValue(study.jobs(), await shares(study, 'atMedian'), 'S6')
      return { value, ours: percent(value) }
    },
  },
  {
    id: 'exchange-order',
    where: '3.3, Fig. 6c',
    statement: 'hand-over by the database is slower than by direct calls, and that slower than in memory',
    theirs: 'in this order',
    rule: all(4, 3, 'at least 1 % slower, in both scenarios and both steps'),
    remark:
      'in memory is faster by less than 1 % of latency, since little is handed over once frames are selected; the text gives no sizes',
    measure: async (study) => {
      const [store, direct, memory] = [
        await handedOver(study, 'store'),
        await handedOver(study, 'direct'),
        await handedOver(study, 'co-placed'),
      ]
      const steps = [...ratios(store, direct, inCloud), ...ratios(direct, memory, inCloud)]
      return {
        value: count(steps.map((each) => each >= 1.01)),
        ours: `database over calls ${times(steps[0] ?? 0)} and ${times(steps[1] ?? 0)}, calls over memory ${(steps[2] ?? 0).toFixed(3)}x and ${(steps[3] ?? 0).toFixed(3)}x`,
      }
    },
  },
  {
    id: 'exchange-tail',
    where: '3.3, Fig. 6c',
    statement: 'the database is slowest above all at the tail',
    theirs: 'especially the tail',
    rule: all(2, 1, 'what it adds to calls is at least 10 % more at p99 than at the median, in ms'),
    remark: 'the wait for the database varies, but in Scenario A less than the work beside it',
    measure: async (study) => {
      const [store, direct] = [await handedOver(study, 'store'), await handedOver(study, 'direct')]
      const added = store.map((run, index) => {
        const other = direct[index] as Outcome
        return [p50(run) - p50(other), p99(run) - p99(other)] as const
      })
      return {
        value: count(added.map(([median, tail]) => tail >= 1.1 * median)),
        ours: added.map(([median, tail]) => `${ms(median)} at the median, ${ms(tail)} at p99`).join('; '),
      }
    },
  },
]
