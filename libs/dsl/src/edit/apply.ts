/** Edits of the graph as the smallest edits of the text. */
import { Document, type DslDocument } from '../document.ts'
import type { GraphEdit } from '../edits.ts'
import type { TextChange } from '../types.ts'
import { Editor } from './editor.ts'
import { setConstraint, setData, setDirective, setRelation } from './statements.ts'
import {
  addTask,
  connect,
  disconnect,
  removeTask,
  renameData,
  renameTask,
  setArg,
  setCode,
  setDataIn,
  setDataOut,
} from './tasks.ts'

/**
 * Makes an edit of the graph in the text. Statements it does not concern keep every byte; in the others only the
 * argument concerned changes. Returns the new text and the changes that lead to it, positions in the old one.
 * Throws an EditError, whose message says why, when the edit makes no sense or the syntax of the text is too faulty.
 * A document that was checked is not read again; it is not changed.
 */
export function applyEdit(
  document: string | DslDocument,
  edit: GraphEdit,
): { text: string; changes: TextChange[] } {
  const editor = new Editor(Document.of(document).copy())
  apply(editor, edit)
  return editor.result()
}

function apply(editor: Editor, edit: GraphEdit): void {
  switch (edit.kind) {
    case 'addTask':
      return addTask(editor, edit.task)
    case 'removeTask':
      return removeTask(editor, edit.task)
    case 'renameTask':
      return renameTask(editor, edit.task, edit.to)
    case 'connect':
      return connect(editor, edit.from, edit.to, edit.data === true)
    case 'disconnect':
      return disconnect(editor, edit.from, edit.to, edit.data === true)
    case 'setCode':
      return setCode(editor, edit.task, edit.code)
    case 'setDataIn':
      return setDataIn(editor, edit.task, edit.dataIn)
    case 'setDataOut':
      return setDataOut(editor, edit.task, edit.dataOut)
    case 'setArg':
      return setArg(editor, edit.task, edit.arg, edit.value)
    case 'setDirective':
      return setDirective(editor, edit)
    case 'setRelation':
      return setRelation(editor, edit)
    case 'setConstraint':
      return setConstraint(editor, edit.key, edit.value)
    case 'setData':
      return setData(editor, edit.data, edit.fields)
    case 'renameData':
      return renameData(editor, edit.data, edit.to)
    case 'batch':
      for (const one of edit.edits) apply(editor, one)
  }
}
