/** Our simulator and its peers on one model, HM2 (docs/placement.md, "Speed"). */
import { medianOf, npmPackage, own, pythonWith } from './peers.ts'
import type { Bench, Row } from './table.ts'

const DEVICES = 1000

interface Result {
  cpuS: number
  version: string
  meanS: number
  p99S: number
  rssMB: number
}

function row(label: string, result: Result): Row {
  // six events of the model for each of 120 frames of every device
  const events = 6 * 120 * DEVICES
  return {
    name: `${label} ${result.version}`,
    cpuS: result.cpuS,
    figures: {
      'M events/s': (events / result.cpuS / 1e6).toFixed(2),
      'RSS MB': result.rssMB.toFixed(0),
      'mean s': result.meanS.toFixed(4),
      'p99 s': result.p99S.toFixed(4),
    },
  }
}

export const placementHm2: Bench = {
  name: 'placement-hm2',
  title: `${DEVICES} devices, 120 frames each, uplink, cloud containers, downlink; medians of 3 processes`,
  async run() {
    const devices = String(DEVICES)
    const python = pythonWith(['simpy==4.1.1'])
    const simjs = npmPackage('simjs', '2.0.3')
    return [
      row('HiveMind swarm-sim', medianOf(process.execPath, [own('src/placement-hm2-ours.ts'), devices])),
      row('SimPy, processes', medianOf(python, [own('peers/hm2_simpy.py'), devices])),
      row('SIM.JS', medianOf(process.execPath, [own('peers/hm2-simjs.mjs'), simjs, devices])),
    ]
  },
}
