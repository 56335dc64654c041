/** Section 5.1, Fig. 13: the systems with and without parts of HiveMind. */
import type { SystemName } from '../fleet.ts'
import { count, mean, ms, named, p50, p99, ratios, type Statement } from '../rows.ts'
import { all, atLeast, atMost, percent, times } from '../rules.ts'
import type { Outcome, Study } from '../systems.ts'
import { change, runs } from './runs.ts'

/** Mean of a figure over HiveMind's, over all jobs and scenarios. */
const overHive = async (study: Study, system: SystemName, figure: (run: Outcome) => number) =>
  mean(ratios(await runs(study, system), await runs(study, 'hivemind'), figure))

export const ABLATIONS: Statement[] = [
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
