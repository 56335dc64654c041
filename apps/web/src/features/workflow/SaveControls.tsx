import { CloudAlert, Save } from 'lucide-react'
import { useEffect, useState } from 'react'
import { createPortal } from 'react-dom'
import { Button } from '../../ui/Button.tsx'
import { keyLabel } from './commands.ts'
import { isDirty } from './model/document.ts'
import { save } from './save.ts'
import { useDocument, useSession, useView } from './session.ts'

const changedSince = (version: number, files: number): string =>
  `Changed since version ${version}${files > 0 ? `, ${files === 1 ? '1 file' : `${files} files`}` : ''}`

/** Save state and Save button, in the project's header. */
export function SaveControls() {
  const session = useSession()
  const textDirty = useDocument(isDirty)
  const fileChanges = useView((state) => state.fileChanges)
  const dirty = textDirty || fileChanges.length > 0
  const version = useDocument((state) => state.saved.version)
  const saving = useView((state) => state.saving)
  const [slot, setSlot] = useState<HTMLElement | null>(null)
  useEffect(() => setSlot(document.getElementById('header-actions')), [])
  if (!slot) return null
  const failed = typeof saving === 'object'
  return createPortal(
    <>
      <span
        role="status"
        data-testid="save-state"
        className={`mr-1 hidden min-w-0 items-center gap-1 text-xs sm:flex ${failed ? 'text-danger' : 'text-muted'}`}
        title={failed ? saving.fault : fileChanges.map(({ path, change }) => `${path}: ${change}`).join('\n')}
      >
        {failed && <CloudAlert className="size-4 shrink-0" aria-hidden="true" />}
        <span className="truncate">
          {failed
            ? 'Not saved'
            : dirty
              ? changedSince(version, fileChanges.length)
              : `Version ${version}, saved`}
        </span>
      </span>
      <Button
        look={dirty ? 'primary' : 'plain'}
        className="shrink-0"
        busy={saving === 'saving'}
        disabled={!dirty}
        data-testid="save-button"
        title={`Save as a new version (${keyLabel('Mod+S')})`}
        onClick={() => void save(session)}
      >
        {saving !== 'saving' && <Save className="size-4" aria-hidden="true" />}
        Save
      </Button>
    </>,
    slot,
  )
}
