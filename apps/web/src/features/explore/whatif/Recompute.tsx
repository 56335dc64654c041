import { useEffect, useRef, useState } from 'react'
import type { Exploration } from '../../../api/types.ts'
import { Button } from '../../../ui/Button.tsx'
import { JobProgress } from '../../../ui/feedback.tsx'
import { canonical, sha256 } from './canonical.ts'
import type { Scenario } from './knobs.ts'
import { openWorker } from './work.ts'

type State =
  | { kind: 'idle' }
  | { kind: 'working'; progress: number }
  | { kind: 'done'; same: boolean; hash: string | undefined }
  | { kind: 'failed'; message: string }

/** Explores the same scenario once more, in this browser, and compares every byte with the service's answer. */
export function Recompute({ scenario, exploration }: { scenario: Scenario; exploration: Exploration }) {
  const [state, setState] = useState<State>({ kind: 'idle' })
  const worker = useRef<ReturnType<typeof openWorker<'explore'>>>(undefined)
  useEffect(() => () => worker.current?.close(), [])

  const start = () => {
    worker.current ??= openWorker<'explore'>()
    setState({ kind: 'working', progress: 0 })
    worker.current.askInstead(
      { kind: 'explore', scenario },
      {
        onProgress: (progress) => setState({ kind: 'working', progress }),
        onAnswer: async (own) => {
          const text = canonical(own)
          setState({ kind: 'done', same: text === canonical(exploration), hash: await sha256(text) })
        },
        onFailure: (message) => setState({ kind: 'failed', message }),
      },
    )
  }

  return (
    <div className="flex flex-col gap-1.5 border-t border-line pt-3" data-testid="recompute">
      <div className="flex items-end gap-3">
        <Button disabled={state.kind === 'working'} onClick={start} data-testid="recompute-start">
          Work it out again in this browser
        </Button>
        {state.kind === 'working' && (
          <>
            <JobProgress value={state.progress} label="Exploring in this browser" />
            <Button
              onClick={() => {
                worker.current?.cancel()
                setState({ kind: 'idle' })
              }}
            >
              Cancel
            </Button>
          </>
        )}
      </div>
      {state.kind === 'done' && (
        <p role="status" className={`text-xs ${state.same ? 'text-ok' : 'text-danger'}`}>
          {state.same
            ? 'The same answer, byte by byte.'
            : 'A different answer: the service and this page are of different versions. Load the page again, or explore again.'}
          {state.hash && (
            <code
              className="mt-1 block font-mono text-[11px] break-all text-muted"
              data-testid="recompute-hash"
            >
              SHA-256 {state.hash}
            </code>
          )}
        </p>
      )}
      {state.kind === 'failed' && (
        <p role="alert" className="text-xs text-danger">
          {state.message}
        </p>
      )}
    </div>
  )
}
