/** A project whose tasks can share a container, and what its runs must give. */
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { RunResult } from '@hivemind/orchestrator'
import type { HandOverKind, Placement } from '@hivemind/swarm'
import { anyDevices, type DeploymentSpec } from '../src/index.ts'
import { projectSpec } from './example.ts'

export const DEVICES = 2
export const ITEMS = 12

/** A sensor; a chain of three with a filter in the middle; a branch off its first, and what reads both; a count of what the chain gives. */
export const TEXT = `
TaskGraph(list=['sense', 'double', 'even', 'name', 'size', 'both', 'total'], constraint=dict(execTime='60s'))
Data(item, kind='stream')
Task(sense, None, item, 'sense.mjs', childTask=['double'])
Task(double, item, twice, 'double.mjs', parentTask=['sense'], childTask=['even', 'size', 'both'])
Task(even, twice, kept, 'even.mjs', parentTask=['double'], childTask=['name'])
Task(name, kept, named, 'name.mjs', parentTask=['even'], childTask=['total'])
Task(size, twice, bytes, 'size.py', parentTask=['double'], childTask=['both'])
Task(both, ['twice', 'bytes'], pair, 'both.mjs', parentTask=['double', 'size'])
Task(total, named, report, 'total.mjs', parentTask=['name'])
Synchronize(total, 'all')
`
export const CODE = {
  'sense.mjs': `export function* run(_, args, { deviceIndex }) { for (let n = 0; n < ${ITEMS}; n++) yield { n: deviceIndex * 100 + n } }`,
  'double.mjs':
    'export const run = ({ item }, args, context) => (context.log("double " + item.n), { n: 2 * item.n, fill: new Uint8Array(args.bytes ?? 10) })',
  'even.mjs': 'export function* run({ twice }) { if (twice.n % 4 === 0) yield twice }',
  'name.mjs': "export const run = ({ kept }, _, { device, seq }) => device + '/' + seq + ': ' + kept.n",
  'size.py': "def run(inputs, args, context):\n    return len(inputs['twice']['fill'])\n",
  'both.mjs': 'export const run = ({ twice, bytes }) => [twice.n, bytes]',
  'total.mjs': 'export const run = ({ named }) => named.map(({ value }) => value)',
}
const placement: Placement = {
  sense: 'edge',
  double: 'cloud',
  even: 'cloud',
  name: 'cloud',
  size: 'cloud',
  both: 'cloud',
  total: 'cloud',
}
/** The function of those that share one. */
export const TOGETHER = 'double+even+size+name+both'

/** The project written into a folder, with other text or code where that is given, ready to be deployed. */
export async function togetherSpec(
  dir: string,
  handOver: HandOverKind,
  { text = TEXT, code = {} }: { text?: string; code?: Record<string, string> } = {},
): Promise<Omit<DeploymentSpec, 'name'>> {
  mkdirSync(dir, { recursive: true })
  writeFileSync(path.join(dir, 'together.hive.py'), text)
  for (const [name, body] of Object.entries({ ...CODE, ...code })) writeFileSync(path.join(dir, name), body)
  return { ...(await projectSpec(dir, placement, handOver)), devices: anyDevices(DEVICES) }
}

/** What a run gave, without what differs from run to run. */
export const givenBy = ({ state, message, outputs }: RunResult) => ({
  state,
  message,
  outputs: outputs
    .map(({ task, device, seq, value }) => JSON.stringify([task, device, seq, value]))
    .toSorted(),
})

/** What a run must give, worked out by hand. */
export const expected = {
  state: 'succeeded',
  message: undefined,
  outputs: [
    ...Array.from({ length: DEVICES * ITEMS }, (_, at) =>
      JSON.stringify([
        'both',
        `device-${1 + Math.floor(at / ITEMS)}`,
        at % ITEMS,
        [2 * (100 * Math.floor(at / ITEMS) + (at % ITEMS)), 10],
      ]),
    ),
    JSON.stringify([
      'total',
      '*',
      0,
      Array.from({ length: DEVICES * ITEMS }, (_, at) => ({
        device: Math.floor(at / ITEMS),
        seq: at % ITEMS,
      })).flatMap(({ device, seq }) =>
        seq % 2 === 0 ? [`device-${device + 1}/${seq}: ${2 * (device * 100 + seq)}`] : [],
      ),
    ]),
  ].toSorted(),
}
