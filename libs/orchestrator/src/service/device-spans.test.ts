import type { SpanRecord, UpDone, UpItem } from '@hivemind/agent-protocol'
import { expect, test } from 'vitest'
import { planOf } from '../../test/plans.ts'
import { DeviceSpans } from './device-spans.ts'

const plan = planOf({
  cam: { on: 'edge', sensor: true },
  see: { on: 'edge', after: ['cam'] },
  keep: { on: 'cloud', after: ['see'] },
})
/** The device's clock is 1,000 ms behind. */
const spans = new DeviceSpans(plan, (_, at) => at + 1000)

const item = (task: string, seq: number, at: number): UpItem => ({
  ...{ t: 'item', run: 'r', lane: 'd1', task, seq, generation: 0, ref: null, at },
})

function done(task: string): UpDone {
  const span: SpanRecord = {
    ...{ worker: 'd1', attempt: 1, queuedAt: 10, startedAt: 20, endedAt: 100 },
    ...{ network: 0, management: 10, dataExchange: 5, execution: 75, bytesIn: 0, bytesOut: 0, items: 2 },
    ok: true,
  }
  return { ...{ t: 'done', run: 'r', lane: 'd1', task, seq: 0, generation: 0, items: 2 }, span }
}

test('the network of an invocation is the way of its last item, which also ends it; the next begins anew', () => {
  spans.arrived('d1', item('see', 0, 40), 1090)
  spans.arrived('d1', item('see', 1, 95), 1107)
  expect(spans.ended('d1', done('see'))).toMatchObject({
    ...{ queuedAt: 1010, startedAt: 1020, endedAt: 1107 },
    breakdown: { network: 12, management: 10, dataExchange: 5, execution: 75 },
  })
  expect(spans.ended('d1', done('see'))).toMatchObject({ endedAt: 1100, breakdown: { network: 0 } })
})

test('what stays on the device takes no network, nor does a clock that is wrong give time back', () => {
  spans.arrived('d1', item('cam', 0, 40), 1090)
  expect(spans.ended('d1', done('cam')).breakdown.network).toBe(0)
  spans.arrived('d1', item('see', 0, 95), 1090)
  expect(spans.ended('d1', done('see'))).toMatchObject({ endedAt: 1100, breakdown: { network: 0 } })
})
