import { lazy, Suspense } from 'react'
import { useSession, useView } from '../session.ts'
// What is typed into at once must be there at once.
import { CommandPalette } from './CommandPalette.tsx'
import { FindDialog } from './FindDialog.tsx'
import { HelpDialog } from './HelpDialog.tsx'

const CodeDialog = lazy(() => import('./CodeDialog.tsx'))
const ConflictDialog = lazy(() => import('./ConflictDialog.tsx'))
const VersionsDialog = lazy(() => import('./VersionsDialog.tsx'))

/** The open dialog, if any. */
export function Dialogs() {
  const { view } = useSession()
  const dialog = useView((state) => state.dialog)
  if (!dialog) return null
  const close = (): void => view.setState({ dialog: null })
  return (
    <Suspense fallback={null}>
      {typeof dialog === 'object' ? (
        <CodeDialog key={dialog.code} task={dialog.code} line={dialog.line} onClose={close} />
      ) : dialog === 'help' ? (
        <HelpDialog onClose={close} />
      ) : dialog === 'commands' ? (
        <CommandPalette onClose={close} />
      ) : dialog === 'find' ? (
        <FindDialog onClose={close} />
      ) : dialog === 'versions' ? (
        <VersionsDialog onClose={close} />
      ) : (
        <ConflictDialog onClose={close} />
      )}
    </Suspense>
  )
}
