/** The paper's figures with our numbers: files beside the page. */
import type { SystemName } from './fleet.ts'
import { type Plot, svgOf } from './plots.ts'
import { p50, p99 } from './rows.ts'
import type { Outcome, Study } from './systems.ts'

const names = (study: Study) => study.everything().map(({ name }) => name)
const seconds = (ms: number) => ms / 1000
const runs = (study: Study, system: SystemName) => study.all(study.everything(), system)

async function breakdown(study: Study): Promise<Plot> {
  const [central, hive] = [await runs(study, 'centralised'), await runs(study, 'hivemind')]
  const parts = ({ atTail }: Outcome) => ({
    parts: [atTail.network, atTail.management, atTail.dataExchange, atTail.execution].map(seconds),
  })
  return {
    title: 'Tail latency by part: centralised (left) and HiveMind (right) (Fig. 12)',
    unit: 's',
    groups: names(study),
    legend: ['network', 'management', 'data exchange', 'execution'],
    bars: central.map((run, index) => [parts(run), parts(hive[index] as Outcome)]),
  }
}

async function ablations(study: Study): Promise<Plot> {
  const systems = [
    'hivemind',
    'hivemindNoFabric',
    'centralised',
    'centralisedRpc',
    'centralisedRpcMemory',
  ] as const
  const all = await Promise.all(systems.map((system) => runs(study, system)))
  return {
    title: 'Median latency, with the tail as a circle (Fig. 13; distributed systems are beyond the scale)',
    unit: 's',
    groups: names(study),
    legend: ['HiveMind', 'no acceleration', 'centralised', '+ network accel.', '+ remote memory'],
    bars: names(study).map((_, index) =>
      all.map((of) => {
        const run = of[index] as Outcome
        return { parts: [seconds(p50(run))], marker: seconds(p99(run)) }
      }),
    ),
  }
}

async function compared(
  study: Study,
  title: string,
  unit: string,
  figure: (run: Outcome) => number,
  systems: readonly SystemName[],
): Promise<Plot> {
  const all = await Promise.all(systems.map((system) => runs(study, system)))
  const labels: Partial<Record<SystemName, string>> = {
    centralised: 'centralised',
    distributed: 'distributed',
    hivemind: 'HiveMind',
  }
  return {
    title,
    unit,
    groups: names(study),
    legend: systems.map((system) => labels[system] ?? system),
    bars: names(study).map((_, index) => all.map((of) => ({ parts: [figure(of[index] as Outcome)] }))),
  }
}

/** The figures by the names of their files. */
export async function figuresOf(study: Study): Promise<Record<string, string>> {
  const three = ['centralised', 'distributed', 'hivemind'] as const
  return {
    'breakdown.svg': svgOf(await breakdown(study)),
    'ablations.svg': svgOf(await ablations(study)),
    'battery.svg': svgOf(
      await compared(
        study,
        'Energy of the work and the waiting, as a share of the battery (Fig. 14a)',
        '%',
        ({ estimate }) => 100 * estimate.energyShare,
        three,
      ),
    ),
    'bandwidth.svg': svgOf(
      await compared(
        study,
        'Bandwidth between drones and cloud (Fig. 14b)',
        'MB/s',
        ({ estimate }) => estimate.bandwidthMBps,
        three,
      ),
    ),
  }
}
