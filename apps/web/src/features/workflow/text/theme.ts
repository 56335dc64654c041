/** Theme of all text editors. Its colours are the design tokens, which follow the colour scheme. */
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import type { Extension } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { tags } from '@lezer/highlight'

const colours = HighlightStyle.define([
  { tag: [tags.comment], color: 'var(--color-muted)', fontStyle: 'italic' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--color-ok)' },
  { tag: [tags.number, tags.bool, tags.null, tags.atom], color: 'var(--color-warn)' },
  { tag: [tags.keyword, tags.operatorKeyword, tags.controlKeyword], color: 'var(--color-fabric)' },
  {
    tag: [
      tags.function(tags.variableName),
      tags.className,
      tags.definition(tags.function(tags.variableName)),
    ],
    color: 'var(--color-cloud)',
  },
  { tag: [tags.propertyName, tags.attributeName], color: 'var(--color-edge)' },
])

const look = EditorView.theme({
  '&': { height: '100%', fontSize: '13px', color: 'var(--color-ink)', background: 'var(--color-surface)' },
  '&.cm-focused': { outline: '2px solid var(--color-accent)', outlineOffset: '-2px' },
  '.cm-scroller': { fontFamily: 'var(--font-mono)', lineHeight: '1.55' },
  '.cm-content': { caretColor: 'var(--color-ink)', padding: '8px 0' },
  '.cm-cursor': { borderLeftColor: 'var(--color-ink)' },
  '.cm-gutters': {
    background: 'var(--color-surface)',
    color: 'var(--color-muted)',
    border: 'none',
    borderRight: '1px solid var(--color-line)',
  },
  '.cm-activeLine': { background: 'color-mix(in srgb, var(--color-sunken) 55%, transparent)' },
  '.cm-activeLineGutter': { background: 'var(--color-sunken)', color: 'var(--color-ink)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    background: 'color-mix(in srgb, var(--color-accent) 28%, transparent) !important',
  },
  '.cm-matchingBracket': {
    background: 'var(--color-accent-soft) !important',
    outline: '1px solid var(--color-accent)',
  },
  '.cm-chosen': { background: 'var(--color-accent-soft)' },
  '.cm-tooltip': {
    background: 'var(--color-raised)',
    color: 'var(--color-ink)',
    border: '1px solid var(--color-line-strong)',
    borderRadius: '6px',
    boxShadow: '0 6px 20px rgb(0 0 0 / 0.18)',
    fontFamily: 'var(--font-sans)',
    fontSize: '13px',
    maxWidth: '420px',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--font-mono)', maxHeight: '16em' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': {
    background: 'var(--color-accent)',
    color: 'var(--color-on-accent)',
  },
  '.cm-completionDetail': { fontStyle: 'normal', opacity: '1', marginLeft: '1em' },
  '.cm-tooltip-hover .cm-help': { padding: '6px 10px', whiteSpace: 'pre-wrap' },
  '.cm-diagnostic': { padding: '6px 10px', borderLeftWidth: '4px' },
  '.cm-diagnostic-error': { borderLeftColor: 'var(--color-danger)' },
  '.cm-diagnostic-warning': { borderLeftColor: 'var(--color-warn)' },
  '.cm-diagnostic-hint, .cm-diagnostic-info': { borderLeftColor: 'var(--color-accent)' },
  '.cm-diagnosticAction': {
    background: 'var(--color-accent)',
    color: 'var(--color-on-accent)',
    borderRadius: '4px',
    padding: '2px 8px',
    margin: '4px 6px 0 0',
    display: 'inline-block',
  },
  '.cm-lintRange-error': {
    backgroundImage: 'none',
    textDecoration: 'underline wavy var(--color-danger) 1.5px',
    textUnderlineOffset: '3px',
    textDecorationSkipInk: 'none',
  },
  '.cm-lintRange-warning': {
    backgroundImage: 'none',
    textDecoration: 'underline wavy var(--color-warn) 1.5px',
    textUnderlineOffset: '3px',
    textDecorationSkipInk: 'none',
  },
  '.cm-lintRange-hint, .cm-lintRange-info': {
    backgroundImage: 'none',
    textDecoration: 'underline dotted var(--color-accent) 1.5px',
    textUnderlineOffset: '3px',
  },
  '.cm-panels': {
    background: 'var(--color-sunken)',
    color: 'var(--color-ink)',
    borderColor: 'var(--color-line)',
  },
  '.cm-panel input, .cm-panel button': {
    background: 'var(--color-surface)',
    color: 'var(--color-ink)',
    border: '1px solid var(--color-line-strong)',
    borderRadius: '4px',
    backgroundImage: 'none',
  },
  '.cm-panel.cm-search label': { color: 'var(--color-ink)' },
  '.cm-collapsedLines': {
    background: 'var(--color-sunken)',
    color: 'var(--color-muted)',
    fontFamily: 'var(--font-sans)',
  },
  '.cm-collapsedLines:before, .cm-collapsedLines:after': { content: 'none' },
  '.cm-mergeView, .cm-mergeViewEditors': { height: '100%' },
})

export const editorLook: Extension = [look, syntaxHighlighting(colours)]
