import { EditorSelection } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { useEffect, useRef } from 'react'
import { useDocument, useSession } from '../session.ts'
import { mountDslEditor } from './dslEditor.ts'

/** The workflow's text in an editor. */
export default function TextPane() {
  const { document, showInText } = useSession()
  const box = useRef<HTMLDivElement>(null)
  const stale = useDocument((state) => state.stale)
  useEffect(() => {
    if (!box.current) return
    const { view, destroy } = mountDslEditor(box.current, document)
    showInText.current = (from, to) => {
      const end = view.state.doc.length
      view.dispatch({
        selection: EditorSelection.range(Math.min(from, end), Math.min(to, end)),
        effects: EditorView.scrollIntoView(Math.min(from, end), { y: 'center' }),
      })
      view.focus()
    }
    return () => {
      showInText.current = null
      destroy()
    }
  }, [document, showInText])
  return (
    <section aria-label="Text" className="flex h-full min-h-0 flex-col bg-surface">
      {stale && (
        <p role="status" className="border-b border-line bg-warn-soft px-3 py-1 text-xs text-warn">
          The text has syntax errors. Fix them to bring the canvas up to date.
        </p>
      )}
      <div ref={box} data-testid="dsl-editor" className="min-h-0 flex-1 overflow-hidden" />
    </section>
  )
}
