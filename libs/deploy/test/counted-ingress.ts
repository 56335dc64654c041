/** A way to Knative's ingress that tests look at. */
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { INGRESS } from './fresh-cluster.ts'

/** A way to the ingress that counts the calls that take it, and may hold what they are answered; it is there until the test has ended. */
export async function countedIngress(heldMs = 0): Promise<{ url: string; calls: () => number }> {
  let calls = 0
  const server = createServer((incoming, answer) => {
    calls += 1
    const { method, headers } = incoming
    const onward = request(INGRESS, { method: method ?? 'GET', headers }, async (back) => {
      if (heldMs > 0) await pause(heldMs, undefined, { ref: false })
      answer.writeHead(back.statusCode ?? 502, back.headers)
      back.pipe(answer)
    })
    onward.on('error', () => answer.destroy())
    incoming.pipe(onward)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close().closeAllConnections())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, calls: () => calls }
}
