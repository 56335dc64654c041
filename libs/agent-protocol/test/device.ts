/** A device in a process of its own, for tests that kill it: `node device.ts URL DEVICE PASSWORD BOOT`. */
import { DeviceChannel } from '../src/node/index.ts'
import { FLEET } from './brokers.ts'

const [url = '', device = '', password = '', boot = ''] = process.argv.slice(2)
new DeviceChannel({
  url,
  fleet: FLEET,
  device,
  password,
  boot,
  hello: () => ({ class: 'drone', version: '1', runtimes: [], cores: 1, memoryMB: 1 }),
  onDesired: () => {},
  onMessage: () => {},
})
// the channel's own timers do not keep the process alive
setInterval(() => {}, 1_000)
