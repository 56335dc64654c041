/** A proxy between a node and those that connect to it, which may answer frames of the node in their place. */
import { once } from 'node:events'
import net from 'node:net'
import { encodeFrame, type Frame, FrameReader } from '../src/frame.ts'

/** Starts a proxy before a node. Frames of the node that `swallows` says yes to are answered, and not passed on. */
export async function startFrameProxy(
  port: number,
  swallows: (frame: Frame) => boolean,
): Promise<net.Server> {
  const proxy = net.createServer((near) => {
    const node = net.connect(port, '127.0.0.1')
    const reader = new FrameReader()
    near.setNoDelay(true)
    node.setNoDelay(true)
    near.pipe(node)
    node.on('data', (chunk) => {
      for (const frame of reader.push(chunk)) {
        const swallowed = swallows(frame)
        const parts = swallowed
          ? encodeFrame({ type: 'answer', id: frame.header.id as number })
          : encodeFrame(frame.header, frame.body)
        for (const part of parts) (swallowed ? node : near).write(part)
      }
    })
    for (const [one, other] of [
      [near, node],
      [node, near],
    ] as const) {
      one.on('error', () => {})
      one.on('close', () => other.destroy())
    }
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  return proxy
}
