import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import * as format from '../../reports/format.ts'
import type { TraceProject } from './traceProject.ts'

const MAX_NOTES = 50

/** Shown after a trace was imported: what it contains, and how the project differs from it. */
export function TraceImportDialog({ trace, onOpen }: { trace: TraceProject; onOpen: () => void }) {
  const { name, tasks, edges, notes } = trace
  return (
    <Dialog title={`${name} was imported`} onClose={onOpen}>
      <div className="flex flex-col gap-3 text-sm" data-testid="imported">
        <p>
          {format.count(tasks, 'task')} and {format.count(edges, 'edge')}. The times and sizes of the trace
          are the project's profile. Every task runs stand-in code, which takes a thousandth of the time in
          the trace.
        </p>
        {notes.length > 0 && (
          <>
            <p className="font-medium">Differences from the trace:</p>
            <ul className="list-disc pl-5">
              {notes.slice(0, MAX_NOTES).map((note) => (
                <li key={note}>{note}</li>
              ))}
              {notes.length > MAX_NOTES && (
                <li>{(notes.length - MAX_NOTES).toLocaleString('en-GB')} more.</li>
              )}
            </ul>
            <p className="text-muted">These notes are also in the project's README.md.</p>
          </>
        )}
        <div className="flex justify-end">
          <Button look="primary" data-testid="imported-open" onClick={onOpen}>
            Open project
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
