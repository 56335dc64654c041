/** A proxy between a node and those that connect to it, which may change frames, or answer them in place of the other side. */
import { once } from 'node:events'
import net from 'node:net'
import { encodeFrame, type Frame, FrameReader, type Header } from '../src/frame.ts'

/**
 * What becomes of a frame: `frame` itself or another one is passed on; `{ answer }` is sent back in place of the other side, which does not
 * get the frame.
 */
export type Change = (frame: Frame) => Frame | { answer: Omit<Header, 'type' | 'id'> }

/** Changes of the frames in each direction. */
export interface FrameChanges {
  fromNode?: Change
  toNode?: Change
}

/** Starts a proxy before a node. */
export async function startFrameProxy(port: number, changes: FrameChanges): Promise<net.Server> {
  const proxy = net.createServer((near) => {
    const node = net.connect(port, '127.0.0.1')
    const pass = (from: net.Socket, to: net.Socket, change: Change = (frame) => frame) => {
      const reader = new FrameReader()
      from.setNoDelay(true)
      from.on('data', (chunk) => {
        for (const frame of reader.push(chunk)) {
          const changed = change(frame)
          const isAnswered = 'answer' in changed
          const parts = isAnswered
            ? encodeFrame({ ...changed.answer, type: 'answer', id: frame.header.id as number })
            : encodeFrame(changed.header, changed.body)
          for (const part of parts) (isAnswered ? from : to).write(part)
        }
      })
      from.on('error', () => {})
      from.on('close', () => to.destroy())
    }
    pass(near, node, changes.toNode)
    pass(node, near, changes.fromNode)
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  return proxy
}
