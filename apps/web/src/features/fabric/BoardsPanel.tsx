import { Play } from 'lucide-react'
import { useState } from 'react'
import { api } from '../../api/client.ts'
import type { FabricBoard, FabricBuild } from '../../api/types.ts'
import { useAction } from '../../api/useLoad.ts'
import { Button } from '../../ui/Button.tsx'
import { Nothing, ProblemNote } from '../../ui/feedback.tsx'
import { Panel } from '../../ui/Panel.tsx'
import { BoardRow } from './BoardRow.tsx'
import { BuildSelect } from './BuildSelect.tsx'

/** The simulated boards of the service, and a button that starts another. */
export function BoardsPanel({
  boards,
  builds,
  onChanged,
}: {
  boards: readonly FabricBoard[]
  builds: readonly FabricBuild[]
  onChanged: () => void
}) {
  const [chosen, setChosen] = useState('')
  const build = builds.find(({ id }) => id === chosen) ?? builds[0]
  const start = useAction(async () => {
    if (build) await api.startFabricBoard({ build: build.id })
    onChanged()
  })
  return (
    <Panel
      title="Boards"
      testId="fabric-boards"
      actions={
        build && (
          <span className="flex min-w-0 items-center gap-2">
            <BuildSelect label="Bitstream" builds={builds} value={build.id} onChange={setChosen} />
            <Button busy={start.busy} onClick={() => void start.run()} data-testid="start-board">
              <Play className="size-4" aria-hidden="true" />
              Start a simulated board
            </Button>
          </span>
        )
      }
    >
      <ProblemNote problem={start.problem} />
      {boards.length === 0 ? (
        <Nothing title="No board runs">
          A simulated board runs a bitstream cycle by cycle in a process of its own: sensor readings go
          through it, and its registers are changed meanwhile.{' '}
          {builds.length === 0 && 'Build a bitstream first.'}
        </Nothing>
      ) : (
        <ul className="flex flex-col">
          {boards.map((board) => (
            <BoardRow key={board.id} board={board} builds={builds} onChanged={onChanged} />
          ))}
        </ul>
      )}
    </Panel>
  )
}
