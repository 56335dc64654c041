import { closeBrackets } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands'
import { javascript } from '@codemirror/lang-javascript'
import { python } from '@codemirror/lang-python'
import { bracketMatching, indentUnit } from '@codemirror/language'
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search'
import { EditorState } from '@codemirror/state'
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view'
import { type RefObject, useEffect, useRef } from 'react'
import { withLineEnds } from '../model/lineEnds.ts'
import { editorLook } from '../text/theme.ts'

/** What others may do with the text of an editor. */
export interface CodeEditorHandle {
  /** The text, with the line ends that it came with. */
  read(): string
  /** Puts another text in its place; Undo takes it back. */
  replace(text: string): void
}

/** Editor of a JavaScript or Python file; `text` is what it begins with, and `line` where the cursor is then, from 1. */
export function CodeEditor({
  path,
  text,
  line,
  handle,
  onChange,
  onSave,
}: {
  path: string
  text: string
  line: number | undefined
  handle: RefObject<CodeEditorHandle | null>
  onChange: () => void
  onSave: () => void
}) {
  const box = useRef<HTMLDivElement>(null)
  const latest = useRef({ onChange, onSave })
  latest.current = { onChange, onSave }
  useEffect(() => {
    if (!box.current) return
    let source = text
    const view = new EditorView({
      parent: box.current,
      state: EditorState.create({
        doc: text,
        extensions: [
          lineNumbers(),
          history(),
          drawSelection(),
          highlightActiveLine(),
          highlightSelectionMatches(),
          bracketMatching(),
          closeBrackets(),
          search({ top: true }),
          path.endsWith('.py') ? [python(), indentUnit.of('    ')] : javascript(),
          editorLook,
          EditorView.contentAttributes.of({
            'aria-label': `Code of ${path}`,
            'data-testid': 'code-editor',
            tabindex: '0',
          }),
          keymap.of([
            {
              key: 'Mod-s',
              preventDefault: true,
              run: () => {
                latest.current.onSave()
                return true
              },
            },
            ...historyKeymap,
            ...searchKeymap,
            ...defaultKeymap,
            indentWithTab,
          ]),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) latest.current.onChange()
          }),
        ],
      }),
    })
    handle.current = {
      read: () => withLineEnds(view.state.doc.toString(), source),
      replace: (next) => {
        source = next
        view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: next } })
        view.focus()
      },
    }
    if (line !== undefined) {
      const { from } = view.state.doc.line(Math.min(Math.max(1, line), view.state.doc.lines))
      view.dispatch({
        selection: { anchor: from },
        effects: EditorView.scrollIntoView(from, { y: 'center' }),
      })
    }
    view.focus()
    return () => {
      view.destroy()
    }
  }, [path, text, line, handle])
  return <div ref={box} className="h-[58vh] overflow-hidden rounded-md border border-line" />
}
