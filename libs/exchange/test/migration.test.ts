/** A client moves among edge nodes while messages flow and one of the nodes is killed again and again. */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { ExchangeClient } from '../src/index.ts'
import { startExchange } from './nodes.ts'

const soak = process.env.HIVEMIND_SOAK === '1'
const MOVES = soak ? 1_000 : 60
const KILLS = soak ? 10 : 3
const MESSAGES_PER_SECOND = soak ? 1_000 : 300
const EDGES = 3
const TIMEOUT_MS = soak ? 1_800_000 : 180_000

it.each([
  ['an edge node', false],
  ['the backend with an edge node in its process', true],
])(
  'loses no message, delivers none twice and none out of order while %s is killed',
  { timeout: TIMEOUT_MS },
  async (_, isJoined) => {
    const exchange = await startExchange(EDGES, {}, { isJoined })
    const tries = { count: 30, intervalMs: 1_000 }
    const [a, b, c] = exchange.addresses as [string, string, string]
    const publisher = await ExchangeClient.connect({ name: 'publisher', edges: [b, c], tries })
    const mover = await ExchangeClient.connect({ name: 'mover', edges: [a, b, c], tries })
    try {
      await mover.subscribe('flow')
      let moves = 0
      let kills = 0
      const acknowledged: Promise<void>[] = []

      const publishing = (async () => {
        const start = performance.now()
        while (moves < MOVES || kills < KILLS) {
          const due = ((performance.now() - start) / 1_000) * MESSAGES_PER_SECOND
          while (acknowledged.length < due)
            acknowledged.push(publisher.publish('flow', Buffer.from(String(acknowledged.length))))
          await sleep(2)
        }
        await Promise.all(acknowledged)
      })()
      const killing = (async () => {
        const victim = exchange.edges[isJoined ? 0 : 1]
        for (; kills < KILLS; kills++) {
          // Over all of the moves, so that a kill meets a move at any step of it.
          while (moves < (MOVES * kills) / KILLS) await sleep(5)
          await sleep(Math.random() * 50)
          await victim?.kill()
          await sleep(Math.random() * 200)
          await victim?.start()
        }
      })()
      const seen: number[] = []
      const receive = async (waitMs: number) => {
        for (const { bytes } of await mover.getMessages('flow', { waitMs, max: 200 }))
          seen.push(Number(Buffer.from(bytes).toString()))
      }
      for (; moves < MOVES; moves++) {
        await Promise.all([receive(5), mover.migrate(exchange.addresses[(moves + 1) % EDGES] as string)])
        await receive(5)
      }
      await Promise.all([publishing, killing])
      while (seen.at(-1) !== acknowledged.length - 1) await receive(5_000)
      expect(seen).toEqual(acknowledged.map((_, number) => number))
      expect(mover.missed).toBe(0)
      if (soak) console.log(`${moves} moves, ${kills} kills, ${seen.length} messages`)
    } finally {
      publisher.close()
      mover.close()
      await exchange.stop()
    }
  },
)
