/** Does what its argument says, for tests of the host around it. */
import { randomUUID } from 'node:crypto'

let calls = 0
/** Which process it is: ids of processes are not the same in and outside a sandbox. */
const worker = randomUUID()

export async function* run(inputs, args, context) {
  const what = args.do
  calls += 1
  if (what === 'echo') yield inputs
  if (what === 'first') yield Object.values(inputs)[0]
  if (what === 'context')
    yield { ...context, log: undefined, path: undefined, report: undefined, state: undefined }
  if (what === 'throw') throw new TypeError('no such thing')
  if (what === 'none') context.log('nothing to say')
  if (what === 'items') for (let n = 0; n < args.count; n++) yield { n, raw: new Uint8Array(args.bytes ?? 1) }
  if (what === 'slow') {
    await new Promise((resolve) => setTimeout(resolve, args.ms))
    yield { worker, calls, x: inputs.x }
  }
  if (what === 'sum') {
    const sum = context.state.get('sum', 0) + inputs.x
    context.state.set('sum', sum)
    context.log(`sum ${sum}`)
    yield sum
  }
  if (what === 'scatter') yield { 'device-1': 1, 'device-2': 2 }
}
