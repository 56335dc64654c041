import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import * as format from '../../reports/format.ts'
import type { ImportedProject } from './imported.ts'

const MOST_NOTES = 50

/** What was read, and what is not as it was in the trace, before the project is opened. */
export function ImportedDialog({ read, onOpen }: { read: ImportedProject; onOpen: () => void }) {
  const { name, tasks, edges, notes } = read
  return (
    <Dialog title={`${name} was imported`} onClose={onOpen}>
      <div className="flex flex-col gap-3 text-sm" data-testid="imported">
        <p>
          {format.count(tasks, 'task')} and {format.count(edges, 'edge')}, with the times and sizes of the
          trace as the profile. The code of every task takes a thousandth of its traced time.
        </p>
        {notes.length > 0 && (
          <>
            <p className="font-medium">Not as it was in the trace:</p>
            <ul className="list-disc pl-5">
              {notes.slice(0, MOST_NOTES).map((note) => (
                <li key={note}>{note}</li>
              ))}
              {notes.length > MOST_NOTES && (
                <li>{(notes.length - MOST_NOTES).toLocaleString('en-GB')} more.</li>
              )}
            </ul>
            <p className="text-muted">The project's README.md keeps these notes.</p>
          </>
        )}
        <div className="flex justify-end">
          <Button look="primary" data-testid="imported-open" onClick={onOpen}>
            Open it
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
