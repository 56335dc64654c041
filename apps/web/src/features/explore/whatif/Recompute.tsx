import { canonical } from '@hivemind/workflow'
import { useEffect, useRef, useState } from 'react'
import type { Exploration } from '../../../api/types.ts'
import { Button } from '../../../ui/Button.tsx'
import { JobProgress } from '../../../ui/feedback.tsx'
import type { Scenario } from './knobs.ts'
import { sha256 } from './sha256.ts'
import { openWorker } from './work.ts'

type State =
  | { kind: 'idle' }
  | { kind: 'working'; progress: number }
  | { kind: 'done'; same: boolean; hash: string | undefined }
  | { kind: 'failed'; message: string }

/** Repeats the exploration in this browser, and compares the result byte by byte with the service's. */
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
        onAnswer: async (repeated) => {
          const text = canonical(repeated)
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
          Repeat in this browser
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
            ? 'The result is the same, byte for byte.'
            : 'The result differs: the service and this page have different versions. Reload the page, or explore again.'}
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
