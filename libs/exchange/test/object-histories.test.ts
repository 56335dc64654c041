/** Histories of shared objects over three edge nodes under faults: nodes killed and paused, connections cut and delayed. */
import { expect, it } from 'vitest'
import type { ExchangeClient } from '../src/index.ts'
import { connectAll, startWithFaults } from './faults.ts'
import type { Exchange } from './nodes.ts'
import { ObjectRecorder, work } from './object-recorder.ts'
import { withChangedFrames } from './planted.ts'

const soak = process.env.HIVEMIND_SOAK === '1'
const OPERATIONS = soak ? 200_000 : 2_000
const TIMEOUT_MS = soak ? 3_600_000 : 180_000
/** On a fast machine the operations are done sooner than so many nodes are killed: clients go on until then. */
const KILLS = 3
const FAULT_INTERVAL_MS = soak ? 2_000 : 300

it('are linearizable while nodes are killed and paused, and connections cut', {
  timeout: TIMEOUT_MS,
}, async () => {
  const faults = await startWithFaults({ intervalMs: FAULT_INTERVAL_MS })
  const recorder = new ObjectRecorder()
  try {
    await work(recorder, faults.clients, () => recorder.operations < OPERATIONS || faults.kills < KILLS)
    await faults.calm()
    if (soak)
      console.log(`${recorder.operations} operations, ${recorder.undecided} undecided, ${faults.kills} kills`)
    expect(recorder.undecided).toBeLessThan(recorder.operations / 10)
    expect(recorder.torn).toBe(0)
    expect(recorder.isLinearizable).toBe(true)
  } finally {
    await faults.stop()
  }
})

/** Runs with edge nodes that do not hear of some invalidations, which the backend takes for answered. */
const withDeafEdges = (skips: () => boolean, run: (exchange: Exchange) => Promise<void>): Promise<void> =>
  withChangedFrames(
    { fromNode: (frame) => (frame.header.type === 'invalidate' && skips() ? { answer: {} } : frame) },
    run,
  )

it.each([0, 1])(
  'are judged rightly when %i invalidations are skipped',
  { timeout: TIMEOUT_MS },
  async (skipped) => {
    let remaining = skipped
    await withDeafEdges(
      () => remaining-- > 0,
      async (exchange) => {
        const [a, b, ...others] = (await connectAll(exchange)) as [ExchangeClient, ExchangeClient]
        const recorder = new ObjectRecorder()
        await recorder.write(a, 'object', '1')
        await recorder.read(b, 'object')
        await recorder.write(a, 'object', '2')
        await recorder.read(b, 'object')
        expect(recorder.isLinearizable).toBe(skipped === 0)
        for (const client of [a, b, ...others]) client.close()
      },
    )
  },
)

it('are caught not to be when one of ten invalidations is skipped under load', {
  timeout: TIMEOUT_MS,
}, async () => {
  let invalidations = 0
  await withDeafEdges(
    () => ++invalidations % 10 === 0,
    async (exchange) => {
      const clients = await connectAll(exchange)
      const recorder = new ObjectRecorder()
      await work(recorder, clients, () => recorder.operations < 2_000)
      expect(recorder.isLinearizable && recorder.torn === 0).toBe(false)
      for (const client of clients) client.close()
    },
  )
})
