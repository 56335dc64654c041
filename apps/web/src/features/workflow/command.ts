import type { Session } from './session.ts'

/** Something that a key, a menu or the command palette does. */
export interface Command {
  id: string
  title: string
  group: 'File' | 'Edit' | 'Arrange' | 'View' | 'Add' | 'Go to'
  /** Key combinations. `Mod` is Ctrl, or Cmd on a Mac. Menus show the first one. */
  keys?: string[]
  /** Whether its keys also work while a text field has the focus. */
  everywhere?: true
  /** Whether the browser or the text editor handles its keys, not this screen. */
  keyElsewhere?: true
  run: (session: Session) => void
}
