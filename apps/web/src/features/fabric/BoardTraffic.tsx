import { useState } from 'react'
import { api } from '../../api/client.ts'
import type { FabricBoard } from '../../api/types.ts'
import { useAction, useEvery, useLoad } from '../../api/useLoad.ts'
import { Button } from '../../ui/Button.tsx'
import { ProblemNote } from '../../ui/feedback.tsx'
import { NumberField, wholeNumber } from '../../ui/fields.tsx'
import * as format from '../reports/format.ts'
import { ValuesChart } from './ValuesChart.tsx'

const POLL_INTERVAL_MS = 1_000
const [MAX_RATE, MAX_SOURCES] = [2000, 16]

/** Readings of simulated sensors that go through a board, and a picture of what comes out. */
export function BoardTraffic({ board, onChanged }: { board: FabricBoard; onChanged: () => void }) {
  const [rate, setRate] = useState('50')
  const [sources, setSources] = useState('1')
  const readingsPerSecond = wholeNumber(rate, 1, MAX_RATE)
  const sourceCount = wholeNumber(sources, 1, MAX_SOURCES)
  const values = useLoad((signal) => api.getFabricTraffic(board.id, signal), [board.id])
  const { traffic } = board
  useEvery(POLL_INTERVAL_MS, traffic !== undefined, () => {
    values.reload()
    onChanged()
  })
  const start = useAction(async () => {
    if (readingsPerSecond && sourceCount)
      await api.startFabricTraffic(board.id, { readingsPerSecond, sources: sourceCount })
    onChanged()
  })
  const stop = useAction(async () => {
    await api.stopFabricTraffic(board.id)
    onChanged()
  })
  return (
    <section className="flex flex-col gap-2" data-testid="board-traffic">
      <h4 className="text-xs font-semibold text-muted">Readings</h4>
      <form
        className="flex flex-wrap items-end gap-2"
        onSubmit={(event) => {
          event.preventDefault()
          void start.run()
        }}
      >
        <NumberField label="Readings a second" min={1} max={MAX_RATE} value={rate} onChange={setRate} />
        <NumberField label="Sensors" min={1} max={MAX_SOURCES} value={sources} onChange={setSources} />
        <Button type="submit" busy={start.busy} disabled={!readingsPerSecond || !sourceCount}>
          {traffic ? 'Send these instead' : 'Send'}
        </Button>
        {traffic && (
          <Button look="danger" busy={stop.busy} onClick={() => void stop.run()}>
            Stop sending
          </Button>
        )}
      </form>
      <ProblemNote problem={start.problem ?? stop.problem ?? values.problem} />
      {traffic && (
        <p className="text-sm" role="status">
          {format.count(traffic.sent, 'reading')} sent, {format.count(traffic.received, 'value')} came out.
        </p>
      )}
      {values.data && values.data.length > 1 && <ValuesChart values={values.data} />}
    </section>
  )
}
