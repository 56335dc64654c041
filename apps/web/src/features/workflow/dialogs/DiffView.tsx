import { python } from '@codemirror/lang-python'
import { MergeView } from '@codemirror/merge'
import { EditorState } from '@codemirror/state'
import { EditorView, lineNumbers } from '@codemirror/view'
import { useEffect, useRef } from 'react'
import { editorLook } from '../text/theme.ts'

/** Read-only view of two texts side by side, with their differences. */
export function DiffView({
  left,
  right,
  leftName,
  rightName,
}: {
  left: string
  right: string
  leftName: string
  rightName: string
}) {
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (!box.current) return
    const side = (doc: string, name: string) => ({
      doc,
      extensions: [
        lineNumbers(),
        EditorView.lineWrapping,
        python(),
        editorLook,
        EditorState.readOnly.of(true),
        EditorView.contentAttributes.of({ 'aria-label': name, tabindex: '0' }),
      ],
    })
    const view = new MergeView({
      a: side(left, leftName),
      b: side(right, rightName),
      parent: box.current,
      gutter: true,
      collapseUnchanged: { margin: 2, minSize: 6 },
    })
    return () => view.destroy()
  }, [left, right, leftName, rightName])
  return (
    <div className="flex min-h-0 flex-1 flex-col overflow-hidden rounded-md border border-line">
      <div className="grid grid-cols-2 border-b border-line bg-sunken text-xs font-medium">
        <span className="px-2 py-1">{leftName}</span>
        <span className="px-2 py-1">{rightName}</span>
      </div>
      {left === right ? (
        <p className="p-4 text-sm text-muted">The texts are the same.</p>
      ) : (
        <div ref={box} className="h-[46vh] overflow-auto text-xs" />
      )}
    </div>
  )
}
