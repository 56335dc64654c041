/** One run of HM2 in SIM.JS. Arguments: folder of the package, number of devices. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'

const [folder, count] = process.argv.slice(2)
// the package is built for browsers: it hands itself out on `window`
globalThis.window = {}
createRequire(import.meta.url)(folder)
const { Sim, Facility, Random, Entity } = globalThis.window.Sim
const { version } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'))
const devices = Number(count)
const frames = 120
const keepAlive = 20

const sim = new Sim()
const random = new Random(1)
const uplink = new Facility('uplink', Facility.FCFS, 1)
const downlink = new Facility('downlink', Facility.FCFS, 1)
const latencies = []
// a facility cannot tell which container it uses, so the cloud keeps its own queue
const cloud = { free: Math.ceil((devices * 0.2) / 0.75), queue: [], idle: [] }

class Device extends Entity {
  start() {
    this.left = frames
    this.setTimer(random.random()).done(() => this.emit())
  }

  emit() {
    const emitted = this.time()
    if (--this.left > 0) this.setTimer(1).done(() => this.emit())
    this.useFacility(uplink, 0.7 / devices).done(() => {
      this.setTimer(0.002).done(() => this.arrive(emitted))
    })
  }

  arrive(emitted) {
    if (cloud.free > 0) this.serve(emitted)
    else cloud.queue.push(() => this.serve(emitted))
  }

  serve(emitted) {
    cloud.free--
    const since = cloud.idle.pop()
    const cold = since === undefined || this.time() - since > keepAlive
    this.setTimer(random.exponential(5) + (cold ? 0.3 : 0)).done(() => {
      cloud.idle.push(this.time())
      cloud.free++
      cloud.queue.shift()?.()
      this.useFacility(downlink, 0.1 / devices).done(() => {
        this.setTimer(0.002).done(() => latencies.push(this.time() - emitted))
      })
    })
  }
}

for (let i = 0; i < devices; i++) sim.addEntity(Device, `device-${i}`)
const before = process.cpuUsage()
sim.simulate(1000)
const used = process.cpuUsage(before)
latencies.sort((a, b) => a - b)
console.log(
  JSON.stringify({
    cpuS: (used.user + used.system) / 1e6,
    version: `${version} (Node ${process.version})`,
    meanS: latencies.reduce((sum, each) => sum + each, 0) / latencies.length,
    p99S: latencies[Math.floor(0.99 * (latencies.length - 1))],
    rssMB: process.resourceUsage().maxRSS / 1024,
  }),
)
