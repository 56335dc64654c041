/** A server on npm's coap that makes a mean of every ten readings. Arguments: the folder of the package, its port, the port for summaries. */
import { createSocket } from 'node:dgram'
import { createRequire } from 'node:module'

const [folder, port, collector] = process.argv.slice(2)
const coap = createRequire(import.meta.url)(folder)
const next = createSocket('udp4')
let [sum, seen] = [0, 0]
const server = coap.createServer({ type: 'udp4', reuseAddr: false }, (request) => {
  if (request.payload[0] !== 0xfb) return
  sum += request.payload.readDoubleBE(1)
  if (++seen < 10) return
  const summary = Buffer.alloc(9, 0xfb)
  summary.writeDoubleBE(sum / 10, 1)
  next.send(coap_message(summary))
  sum = 0
  seen = 0
})
const coap_message = (payload) => Buffer.concat([Buffer.from('50030000ff', 'hex'), payload])
next.connect(Number(collector), '127.0.0.1', () =>
  server.listen(Number(port), '127.0.0.1', () => console.log('ready')),
)
