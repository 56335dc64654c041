/** Does what its argument says, for tests of the supervisor and the client. */
import { existsSync } from 'node:fs'

if (existsSync('broken')) throw new Error('it is broken today')

export async function* run({ x }, args, context) {
  context.log(`works on ${JSON.stringify(x)}`)
  if (args.ms) await new Promise((resolve) => setTimeout(resolve, args.ms))
  if (args.throw) throw new RangeError('no such thing')
  if (args.count) {
    for (let n = 0; n < args.count; n++) yield { n, pid: process.pid }
    return
  }
  if (args.sum) {
    const sum = context.state.get('sum', 0) + x
    context.state.set('sum', sum)
    yield sum
    return
  }
  yield {
    x,
    version: args.version ?? 1,
    device: context.device,
    devices: context.devices.length,
    host: process.ppid,
  }
}
