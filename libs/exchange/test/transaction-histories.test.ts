/** Histories of transactions over three edge nodes under faults, and with planted faults that must be noticed. */
import { expect, it } from 'vitest'
import type { ExchangeClient } from '../src/index.ts'
import { splitRecords } from '../src/records.ts'
import { connectAll, startWithFaults } from './faults.ts'
import type { FrameChanges } from './frame-proxy.ts'
import { withChangedFrames } from './planted.ts'
import { readAll, TransactionRecorder, transact } from './transaction-recorder.ts'

const soak = process.env.HIVEMIND_SOAK === '1'
const TRANSACTIONS = soak ? 200_000 : 1_500
const PLANTED_TRANSACTIONS = 600
const TIMEOUT_MS = soak ? 3_600_000 : 180_000
/** On a fast machine the transactions are done sooner than so many nodes are killed: clients go on until then. */
const KILLS = 3
const FAULT_INTERVAL_MS = soak ? 2_000 : 300

it('have snapshot isolation while nodes are killed and paused, and connections cut', {
  timeout: TIMEOUT_MS,
}, async () => {
  const faults = await startWithFaults({ intervalMs: FAULT_INTERVAL_MS })
  const recorder = new TransactionRecorder()
  try {
    await transact(
      recorder,
      // Two at the same time in each client.
      [...faults.clients, ...faults.clients],
      () => recorder.transactions < TRANSACTIONS || faults.kills < KILLS,
    )
    await faults.calm()
    await readAll(recorder, faults.clients[0] as ExchangeClient)
    const { transactions, conflicts, undecided } = recorder
    if (soak)
      console.log(
        `${transactions} transactions, ${conflicts} conflicts, ${undecided} undecided, ${faults.kills} kills`,
      )
    expect(undecided).toBeLessThan(transactions / 10)
    expect(conflicts).toBeGreaterThan(0)
    expect(recorder.anomalies).toEqual([])
  } finally {
    await faults.stop()
  }
})

let begun = 0
let commits = 0
const PLANTED: [string, FrameChanges][] = [
  [
    'the write-write check is skipped',
    {
      // The backend finds no write after a snapshot of the far future.
      toNode: ({ header, body }) => ({
        header:
          header.type === 'transaction-commit' ? { ...header, snapshot: Number.MAX_SAFE_INTEGER } : header,
        body,
      }),
    },
  ],
  [
    'an edge node is not told of one of five changes',
    {
      fromNode: ({ header, body }) => ({
        header:
          header.changed && Object.keys(header.changed).length > 0 && ++begun % 5 === 0
            ? { ...header, changed: {} }
            : header,
        body,
      }),
    },
  ],
  [
    'one of five commits of several objects leaves one out',
    {
      toNode: ({ header, body }) => {
        const names = header.type === 'transaction-commit' ? (header.names as string[]) : []
        if (names.length < 2 || ++commits % 5 > 0) return { header, body }
        return { header: { ...header, names: names.slice(0, 1) }, body: splitRecords(body)[0] as Buffer }
      },
    },
  ],
  [
    'a conflict is answered like a commit',
    {
      fromNode: ({ header, body }) => ({
        header: header.code === 'conflict' ? { type: 'answer', id: header.id as number, version: 0 } : header,
        body,
      }),
    },
  ],
]

it.each(PLANTED)('are caught not to have it when %s', { timeout: TIMEOUT_MS }, async (_, changes) => {
  await withChangedFrames(changes, async (exchange) => {
    const clients = await connectAll(exchange)
    const recorder = new TransactionRecorder()
    await transact(recorder, clients, () => recorder.transactions < PLANTED_TRANSACTIONS)
    await readAll(recorder, clients[0] as ExchangeClient)
    expect(recorder.anomalies.length).toBeGreaterThan(0)
    for (const client of clients) client.close()
  })
})

it('are judged right when frames are passed on as they are', { timeout: TIMEOUT_MS }, async () => {
  await withChangedFrames({}, async (exchange) => {
    const clients = await connectAll(exchange)
    const recorder = new TransactionRecorder()
    await transact(recorder, clients, () => recorder.transactions < PLANTED_TRANSACTIONS)
    await readAll(recorder, clients[0] as ExchangeClient)
    expect(recorder.anomalies).toEqual([])
    for (const client of clients) client.close()
  })
})
