/** Histories of eventual objects over three edge nodes under faults, and with planted faults that must be noticed. */
import { expect, it } from 'vitest'
import { ExchangeClient } from '../src/index.ts'
import { EventualRecorder, workEventually } from './eventual-recorder.ts'
import { connectAll, startWithFaults } from './faults.ts'
import type { FrameChanges } from './frame-proxy.ts'
import type { Exchange } from './nodes.ts'
import { withChangedFrames } from './planted.ts'

const soak = process.env.HIVEMIND_SOAK === '1'
const OPERATIONS = soak ? 200_000 : 2_000
const PLANTED_OPERATIONS = 600
const TIMEOUT_MS = soak ? 3_600_000 : 180_000
/** On a fast machine the operations are done sooner than so many nodes are killed: clients go on until then. */
const KILLS = 3
const FAULT_INTERVAL_MS = soak ? 1_000 : 300
/** Longer than the three tries of a read: then it is refused. */
const AWAY_MS = soak ? 8_000 : 2_000

/** Reads at each edge node once all is calm. */
async function converge(recorder: EventualRecorder, { addresses }: Exchange): Promise<void> {
  const readers = await Promise.all(
    addresses.map((edge, n) => ExchangeClient.connect({ name: `reader-${n}`, edges: [edge] })),
  )
  try {
    await recorder.converge(readers)
  } finally {
    for (const reader of readers) reader.close()
  }
}

it('converge, keep their recency bound and lose no write while nodes are killed and paused, and connections cut', {
  timeout: TIMEOUT_MS,
}, async () => {
  const faults = await startWithFaults({ intervalMs: FAULT_INTERVAL_MS, awayMs: AWAY_MS })
  const recorder = new EventualRecorder()
  try {
    const goesOn = () => recorder.operations < OPERATIONS || faults.kills < KILLS
    await workEventually(recorder, faults.clients, goesOn)
    await faults.calm()
    await converge(recorder, faults.exchange)
    const { operations, undecided, stale, settled } = recorder
    if (soak)
      console.log(
        `${operations} operations, ${settled} settled writes, ${stale} stale reads refused, ${undecided} undecided, ${faults.kills} kills`,
      )
    expect(undecided).toBeLessThan(operations / 10)
    expect(settled).toBeGreaterThan(operations / 20)
    expect(recorder.faults).toEqual([])
  } finally {
    await faults.stop()
  }
})

let merged = 0
const PLANTED: [string, RegExp, FrameChanges][] = [
  [
    'one of three changes is not sent to an edge node',
    /is missing in set|was written later/,
    {
      fromNode: (frame) =>
        frame.header.type === 'eventual-push' && ++merged % 3 === 0 ? { answer: {} } : frame,
    },
  ],
  [
    'one of three writes of an edge node is acknowledged and not merged',
    /no convergence/,
    {
      toNode: (frame) =>
        frame.header.type === 'eventual-merge' && ++merged % 3 === 0
          ? { answer: { version: 0, isSame: true } }
          : frame,
    },
  ],
]

it.each(PLANTED)('are caught when %s', { timeout: TIMEOUT_MS }, async (_, fault, changes) => {
  await withChangedFrames(changes, async (exchange) => {
    const clients = await connectAll(exchange)
    const recorder = new EventualRecorder()
    await workEventually(recorder, clients, () => recorder.operations < PLANTED_OPERATIONS)
    expect(recorder.undecided).toBe(0)
    for (const client of clients) client.close()
    // Objects that nobody writes again stay apart: it is enough to see that one does.
    if (!recorder.faults.some((each) => fault.test(each))) await converge(recorder, exchange)
    expect(recorder.faults.join('\n')).toMatch(fault)
  })
})
