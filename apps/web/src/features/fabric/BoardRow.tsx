import { useState } from 'react'
import { api } from '../../api/client.ts'
import type { FabricBoard, FabricBuild } from '../../api/types.ts'
import { useAction } from '../../api/useLoad.ts'
import { Button } from '../../ui/Button.tsx'
import { Badge, ProblemNote } from '../../ui/feedback.tsx'
import * as format from '../reports/format.ts'
import { BoardRegisters } from './BoardRegisters.tsx'
import { BoardTraffic } from './BoardTraffic.tsx'
import { BuildSelect } from './BuildSelect.tsx'

/** A board: what is loaded, another bitstream for it, its readings and its registers. */
export function BoardRow({
  board,
  builds,
  onChanged,
}: {
  board: FabricBoard
  builds: readonly FabricBuild[]
  onChanged: () => void
}) {
  const [wanted, setWanted] = useState(board.build)
  const [isOpen, setIsOpen] = useState(false)
  const [allowUnmetTiming, setAllowUnmetTiming] = useState(false)
  const load = useAction(async () => {
    await api.loadFabricBoard(board.id, { build: wanted, allowUnmetTiming })
    onChanged()
  })
  const stop = useAction(async () => {
    await api.stopFabricBoard(board.id)
    onChanged()
  })
  const isUnmet = builds.find(({ id }) => id === wanted)?.isTimingMet === false
  return (
    <li className="flex flex-col gap-3 border-t border-line py-3 first:border-t-0" data-testid={board.id}>
      <div className="flex flex-wrap items-center gap-2">
        <h3 className="text-sm font-semibold">{board.id}</h3>
        <Badge tone={board.problem ? 'danger' : 'ok'}>{board.problem ? 'ended' : 'runs'}</Badge>
        <span className="min-w-0 flex-1 text-sm text-muted">
          has <span className="font-mono">{board.build.slice(0, 8)}</span> loaded, since{' '}
          {format.instant(board.startedAt)}
        </span>
        <Button aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
          Readings and registers
        </Button>
        <Button look="danger" busy={stop.busy} onClick={() => void stop.run()}>
          Stop
        </Button>
      </div>
      {board.distil && (
        <p className="text-sm text-muted">
          A network function takes {board.distil.cyclesPerItem} cycles at{' '}
          {format.number(board.distil.clockMHz)} MHz here, with windows for {board.distil.places} devices.
          {board.deployment === undefined
            ? ' A task that is placed on Fabric can be deployed to it.'
            : ' A deployed task runs on it.'}
        </p>
      )}
      {board.problem && (
        <p className="text-sm text-danger">{board.problem} Load a bitstream to start it again.</p>
      )}
      <div className="flex flex-wrap items-center gap-2">
        <BuildSelect label="Load" builds={builds} value={wanted} onChange={setWanted} />
        {isUnmet && (
          <label className="flex items-center gap-1.5 text-sm">
            <input
              type="checkbox"
              checked={allowUnmetTiming}
              onChange={(event) => setAllowUnmetTiming(event.target.checked)}
            />
            although its timing is not met
          </label>
        )}
        <Button busy={load.busy} onClick={() => void load.run()}>
          Load
        </Button>
      </div>
      <ProblemNote problem={load.problem ?? stop.problem} />
      {isOpen && !board.problem && (
        <div className="flex flex-col gap-4">
          <BoardTraffic board={board} onChanged={onChanged} />
          <BoardRegisters board={board} />
        </div>
      )}
    </li>
  )
}
