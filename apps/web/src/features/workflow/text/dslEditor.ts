/** CodeMirror editor of a document. The document owns the text and the undo history. */
import {
  autocompletion,
  type CompletionContext,
  type CompletionResult,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
} from '@codemirror/autocomplete'
import { defaultKeymap, indentWithTab } from '@codemirror/commands'
import { python } from '@codemirror/lang-python'
import { bracketMatching, indentUnit } from '@codemirror/language'
import { lintGutter, lintKeymap, type Diagnostic as Mark, setDiagnostics } from '@codemirror/lint'
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search'
import { Annotation, EditorState, StateEffect, StateField, type TransactionSpec } from '@codemirror/state'
import {
  Decoration,
  type DecorationSet,
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  hoverTooltip,
  keymap,
  lineNumbers,
} from '@codemirror/view'
import { completionsAt, type Diagnostic, hoverAt, type TextChange } from '@hivemind/dsl'
import { difference } from '../model/changes.ts'
import type { Document, DocumentState } from '../model/document.ts'
import { editorLook } from './theme.ts'

/** Marks changes that came from the document, so that they are not sent back to it. */
const fromDocument = Annotation.define<true>()

const setChosen = StateEffect.define<{ from: number; to: number }[]>()
const chosenLine = Decoration.line({ class: 'cm-chosen' })
/** Highlights the statements of the selected tasks. */
const chosen = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marks, transaction) {
    let next = marks.map(transaction.changes)
    for (const effect of transaction.effects)
      if (effect.is(setChosen)) {
        const { doc } = transaction.state
        const starts = new Set<number>()
        for (const { from, to } of effect.value)
          for (let at = Math.min(from, doc.length); ; ) {
            const line = doc.lineAt(at)
            starts.add(line.from)
            if (line.to >= Math.min(to, doc.length)) break
            at = line.to + 1
          }
        next = Decoration.set([...starts].sort((a, b) => a - b).map((from) => chosenLine.range(from)))
      }
    return next
  },
  provide: (field) => EditorView.decorations.from(field),
})

const icons: Record<string, string> = {
  task: 'variable',
  data: 'property',
  argument: 'keyword',
  statement: 'function',
}

function complete(context: CompletionContext, model: Document): CompletionResult | null {
  const found = completionsAt(context.state.doc.toString(), context.pos, model.context())
  if (!found || found.options.length === 0) return null
  if (!context.explicit && found.from === context.pos && !/[('"=,[]\s?$/.test(before(context))) return null
  return {
    from: found.from,
    options: found.options.map((option, rank) => ({
      label: option.label,
      apply: option.insert,
      detail: option.detail,
      type: icons[option.kind] ?? 'constant',
      // Keeps the language's ranking; the editor would sort by name.
      boost: Math.max(-99, 99 - rank),
    })),
    validFor: /^[\p{L}\p{N}_:.-]*$/u,
  }
}
const before = ({ state, pos }: CompletionContext): string => state.sliceDoc(Math.max(0, pos - 2), pos)

function help(text: string): HTMLElement {
  const box = document.createElement('div')
  box.className = 'cm-help'
  box.textContent = text
  return box
}

/** The diagnostic with a fix at the cursor, else the first one on its line. */
export function fixableAt(
  state: DocumentState,
  line: { from: number; to: number },
  head: number,
): Diagnostic | undefined {
  const near = state.diagnostics.filter(
    ({ from, to, fixes }) => fixes.length > 0 && from <= line.to && to >= line.from,
  )
  return near.find(({ from, to }) => from <= head && head <= to) ?? near[0]
}

/** Mounts an editor of a document. `destroy` removes it. */
export function mountDslEditor(
  parent: HTMLElement,
  model: Document,
): { view: EditorView; destroy: () => void } {
  const { actions } = model
  const run = (act: () => void) => () => {
    act()
    return true
  }
  const view = new EditorView({
    parent,
    state: EditorState.create({
      doc: model.getState().text,
      extensions: [
        lineNumbers(),
        lintGutter(),
        EditorView.lineWrapping,
        chosen,
        drawSelection(),
        highlightActiveLine(),
        highlightActiveLineGutter(),
        highlightSelectionMatches(),
        bracketMatching(),
        closeBrackets(),
        search({ top: true }),
        python(),
        indentUnit.of('    '),
        EditorState.tabSize.of(4),
        editorLook,
        autocompletion({ override: [(context) => complete(context, model)], icons: false }),
        hoverTooltip((editor, pos) => {
          const found = hoverAt(editor.state.doc.toString(), pos)
          return found
            ? { pos: found.from, end: found.to, above: true, create: () => ({ dom: help(found.text) }) }
            : null
        }),
        EditorView.contentAttributes.of({
          'aria-label': 'Workflow text',
          spellcheck: 'false',
          tabindex: '0',
        }),
        keymap.of([
          { key: 'Mod-z', run: run(actions.undo), preventDefault: true },
          { key: 'Mod-Shift-z', run: run(actions.redo), preventDefault: true },
          { key: 'Mod-y', run: run(actions.redo), preventDefault: true },
          {
            key: 'Mod-.',
            run: (editor) => {
              actions.flush()
              const { head } = editor.state.selection.main
              const found = fixableAt(model.getState(), editor.state.doc.lineAt(head), head)
              const fix = found?.fixes[0]
              if (found && fix) actions.fix(found, fix)
              else actions.notify('No problem on this line has an automatic fix.')
              return true
            },
          },
          ...closeBracketsKeymap,
          ...completionKeymap,
          ...lintKeymap,
          ...searchKeymap,
          ...defaultKeymap,
          indentWithTab,
        ]),
        EditorView.updateListener.of((update) => {
          if (update.docChanged && !update.transactions.some((one) => one.annotation(fromDocument))) {
            const changes: TextChange[] = []
            update.changes.iterChanges((from, to, _a, _b, inserted) => {
              changes.push({ from, to, insert: inserted.toString() })
            })
            actions.type(changes)
          }
          if (update.selectionSet && !update.docChanged && update.view.hasFocus) followCursor(update.state)
        }),
      ],
    }),
  })

  function followCursor(state: EditorState): void {
    const { head } = state.selection.main
    const document = model.getState()
    if (document.checkedText !== document.text) return
    const task = Object.entries(document.ranges()).find(([, { from, to }]) => from <= head && head <= to)?.[0]
    if (task && document.workflow?.tasks.some(({ name }) => name === task))
      actions.select({ tasks: [task], edges: [] }, 'text')
  }

  const marks = (state: DocumentState): Mark[] =>
    state.diagnostics.map((diagnostic) => ({
      from: Math.min(diagnostic.from, state.text.length),
      to: Math.min(Math.max(diagnostic.to, diagnostic.from), state.text.length),
      severity: diagnostic.severity,
      message: diagnostic.message,
      source: diagnostic.code,
      actions: diagnostic.fixes.map((fix) => ({
        name: fix.title,
        apply: () => actions.fix(diagnostic, fix),
      })),
    }))
  const chosenRanges = (state: DocumentState) =>
    state.selection.tasks.flatMap((name) => state.ranges()[name] ?? [])

  const scrollTo = (position: number): TransactionSpec => ({
    effects: EditorView.scrollIntoView(position, { y: 'nearest', yMargin: 48 }),
  })

  // A task selected on the canvas is scrolled into view, once the text with it has been checked.
  let awaited = false
  function follow(state: DocumentState, old: DocumentState | null): void {
    if (old && old.selection !== state.selection) awaited = state.selectedFrom === 'canvas'
    const spec: TransactionSpec[] = []
    if (state.text !== view.state.doc.toString())
      view.dispatch({
        changes: difference(view.state.doc.toString(), state.text),
        annotations: fromDocument.of(true),
      })
    const current = state.checkedText === state.text
    if (current && (!old || old.diagnostics !== state.diagnostics || old.checkedText !== state.checkedText))
      spec.push(setDiagnostics(view.state, marks(state)))
    if (current && (!old || old.selection !== state.selection || old.ranges !== state.ranges)) {
      const ranges = chosenRanges(state)
      spec.push({ effects: setChosen.of(ranges) })
      const [first] = ranges
      if (first && awaited) {
        spec.push(scrollTo(first.from))
        awaited = false
      }
    }
    if (spec.length > 0) view.dispatch(...spec)
  }
  follow(model.getState(), null)
  const stop = model.subscribe(follow)
  // Selecting a task opens its inspector, which reduces the height of the text.
  const resized = new ResizeObserver(() => {
    const state = model.getState()
    if (state.selectedFrom !== 'canvas' || state.checkedText !== state.text) return
    const [first] = chosenRanges(state)
    if (first) view.dispatch(scrollTo(first.from))
  })
  resized.observe(parent)
  return {
    view,
    destroy: () => {
      stop()
      resized.disconnect()
      view.destroy()
    },
  }
}
