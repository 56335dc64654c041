/** The fleet `sensor-gateways`. */
import type { Cloud, Fleet } from './fleet.ts'
import { assumed } from './sources.ts'

/** A field of sensors with gateways between them and a cloud. Every figure beside that cloud is an assumption. */
export const sensorGateways = (cloud: Cloud): Fleet => ({
  schema: 'hivemind.fleet/1',
  name: 'sensor-gateways',
  label: '24 field sensors, 3 gateways near them, and 12 servers',
  devices: [
    {
      class: {
        name: 'field-sensor',
        label: 'Field sensor with a small Linux board',
        cpuSpeed: 0.1,
        cores: 4,
        memoryMB: 512,
        power: { motionW: 0, idleW: 0.6, computeW: 0.5 },
        radio: { txJPerMB: 0.4, rxJPerMB: 0.25 },
        batteryWh: 37,
        sensors: ['camera', 'microphone', 'thermometer', 'hygrometer'],
        speedMps: 0,
        sources: [
          assumed(
            'the board is a Raspberry Pi Zero 2 W: four cores, each 0.1 of a server core, 512 MB',
            '0.05-0.15',
          ),
          assumed('the board takes 0.6 W when idle and 0.5 W more for each busy core', '0.4-1 W, 0.3-0.8 W'),
          assumed('the radio takes 0.4 J to send and 0.25 J to receive one MB', '0.1-1 J'),
          assumed('battery of 37 Wh (10,000 mAh at 3.7 V)', '10-100 Wh'),
          { what: 'it stays where it is: no motion', from: 'definition' },
        ],
      },
      count: 24,
    },
  ],
  uplink: {
    name: 'cellular',
    label: 'Two cells of a mobile network',
    kind: 'wireless',
    count: 2,
    bandwidthMbps: 50,
    delayMs: 30,
    rpc: { fixedMs: 26.25, bandwidthMBps: 13.71 },
    sources: [
      assumed('each cell carries 50 Mbit/s of data', '10-150 Mbit/s'),
      assumed('one-way delay of 30 ms', '15-60 ms'),
      assumed('a call costs its ends what it costs those of the paper’s drones', '2-100 ms, 10-100 MB/s'),
    ],
  },
  edgeNodes: {
    name: 'gateway',
    label: 'Gateway with a small computer, on the mains',
    count: 3,
    cores: 4,
    cpuSpeed: 0.4,
    memoryMB: 8192,
    power: { idleW: 3, computeW: 2 },
    callMs: 2,
    link: { kind: 'wireless', bandwidthMbps: 100, delayMs: 2 },
    backhaul: { kind: 'wired', bandwidthMbps: 100, delayMs: 10 },
    sources: [
      assumed('the computer is a Raspberry Pi 5: four cores, each 0.4 of a server core, 8 GB', '0.3-0.6'),
      assumed('it takes 3 W when idle and 2 W more for each busy core', '2-5 W, 1-3 W'),
      assumed(
        'a call of a warm function takes 2 ms (Vertex paper, section 3.2: imports stay warm)',
        '0.5-10 ms',
      ),
      assumed('a wireless link of 100 Mbit/s and 2 ms to its sensors', '20-400 Mbit/s, 1-10 ms'),
      assumed('a wired link of 100 Mbit/s and 10 ms to the cloud', '20-1,000 Mbit/s, 5-30 ms'),
    ],
  },
  cloud,
})
