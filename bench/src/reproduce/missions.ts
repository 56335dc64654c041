/** What the paper states of whole missions: batteries, drones that fail, and bandwidth over time. */
import type { Conditions } from '@hivemind/swarm-sim'
import type { System } from './parameters.ts'
import { judged, mean, percent, type Row } from './rows.ts'
import type { Outcome, Study } from './systems.ts'

export async function unfinishedMission({ run, scenarioB }: Study): Promise<Row[]> {
  const of = async (system: System, conditions: Conditions) => run(scenarioB(), system, { conditions })
  const need = await of('distributed', {})
  const systems = ['distributed', 'centralised', 'hivemind'] as const
  const [edge, central, hive] = await Promise.all(systems.map((system) => of(system, { batteries: true })))
  const done = (outcome: Outcome | undefined) => outcome?.completed ?? 0
  const empty = edge?.outages.length ?? 0
  return [
    {
      where: '2.3, 5.2',
      statement: 'on the devices alone, Scenario B is left incomplete: several drones run out of power',
      theirs: 'incomplete',
      ours: `${empty} of 16 drones run empty, ${percent(done(edge))} of the frames are finished (they would need ${percent(need.estimate.energyShare)} of a battery); centralised ${percent(done(central))}, HiveMind ${percent(done(hive))}`,
      ...judged(
        'two drones or more run empty and frames are left, on the other systems none; partly one drone',
        empty >= 2 && done(edge) < 1 && done(central) === 1 && done(hive) === 1,
        empty >= 1 && done(edge) < 1,
      ),
    },
  ]
}

/** The eighth drone is lost after half of the frames. */
export async function failedDrone({ inputs, run, scenarioA }: Study): Promise<Row[]> {
  const scenario = scenarioA(inputs.frameMB * 1e6, inputs.lightFps)
  const lost = (restore: 'repartition' | 'ignore') =>
    run(scenario, 'hivemind', {
      conditions: { deviceFailures: { at: [{ device: 8, atMs: 30_000 }], restore } },
    })
  const quiet = await run(scenario, 'hivemind')
  const shared = await lost('repartition')
  const ignored = await lost('ignore')
  const longer = shared.estimate.execTimeMs / quiet.estimate.execTimeMs - 1
  return [
    {
      where: '4.6, Fig. 10',
      statement:
        'when a drone fails, its neighbours take over its area: the mission is completed all the same',
      theirs: 'completed',
      ours: `Scenario A: ${(100 * shared.completed).toFixed(1)} % of the frames, and ${percent(longer)} longer; without, ${(100 * ignored.completed).toFixed(1)} %`,
      ...judged(
        'more than 99.9 % of the frames, and fewer without the neighbours; partly more than without them',
        shared.completed > 0.999 && ignored.completed < shared.completed,
        shared.completed > ignored.completed,
      ),
    },
  ]
}

/** Bandwidth that 99 of 100 bins of the run stay below, over its mean. */
function tailOverMean({ series, estimate }: Outcome): number {
  const bins = [...(series?.bandwidthMBps ?? [])].sort((a, b) => a - b)
  return (bins[Math.ceil(0.99 * bins.length) - 1] ?? 0) / estimate.bandwidthMBps
}

export async function tailBandwidth({ all, everything }: Study): Promise<Row[]> {
  const scenarios = everything()
  const ratios = async (system: 'centralised' | 'hivemind') =>
    (await all(scenarios, system, { series: true })).map(tailOverMean)
  const central = await ratios('centralised')
  const hive = await ratios('hivemind')
  const less = hive.filter((each, index) => each < 0.99 * (central[index] as number)).length
  const more = hive.filter((each, index) => each > 1.01 * (central[index] as number)).length
  return [
    {
      where: '5.3, Fig. 14b',
      statement:
        'the bandwidth of HiveMind varies less: its tail is nearer to its mean than the centralised system’s',
      theirs: 'less pronounced',
      ours: `tail over mean ${mean(hive).toFixed(2)} against ${mean(central).toFixed(2)} on average; less in ${less}, more in ${more} of 12`,
      ...judged(
        '1 % less on average and less in more of them than more; partly the latter',
        mean(hive) < 0.99 * mean(central) && less > more,
        less > more,
      ),
      remark: 'over the bins of a run; our sensors emit at constant rates',
    },
  ]
}

export async function carBatteries({ all, carScenarios, jobs }: Study): Promise<Row[]> {
  const share = (outcomes: readonly Outcome[]) => mean(outcomes.map(({ estimate }) => estimate.energyShare))
  const cars = share(await all(carScenarios(), 'hivemind', { fleet: 'paper-cars' }))
  const drones = share(await all(jobs(), 'hivemind'))
  return [
    {
      where: '5.5, Fig. 16b',
      statement: 'cars are less power-constrained than drones',
      theirs: 'less',
      ours: `${percent(cars)} of a car’s battery in 120 s, ${percent(drones)} of a drone’s`,
      ...judged('a smaller share of the battery', cars < drones),
    },
  ]
}
