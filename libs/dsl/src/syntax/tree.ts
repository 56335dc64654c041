/**
 * Tokens out of the tree of @lezer/python, which is parsed incrementally. The tree's shape is not used: where a text is
 * faulty, Lezer repairs for its own ends, and the language's reader (read.ts) knows better what was meant.
 */
import { type Tree, TreeFragment } from '@lezer/common'
import { parser } from '@lezer/python'
import { type RawToken, scan, scanAll, type Token, TYPOGRAPHIC, withLines } from './scan.ts'

/** Larger texts are refused (HM121): no workflow comes near it, and an editor must not stall. */
export const MAX_LENGTH = 2_000_000
/** Deeper brackets are refused (HM122). */
export const MAX_DEPTH = 64

/**
 * Longer texts are read by the plain scanner each time: there Lezer gains nothing by what it reuses, and it takes tens
 * of microseconds for every token it cannot place.
 */
export const MAX_TREE_LENGTH = 60_000

export interface SourceTree {
  text: string
  /** `null` when the text is too long for a tree, or refused. */
  tree: Tree | null
  fragments: readonly TreeFragment[]
  /** Why the text is not read at all. */
  refused: 'length' | 'depth' | null
}

export function parseTree(text: string): SourceTree {
  return withoutTree(text) ?? treeOf(text, [])
}

/** For texts that get no tree. */
function withoutTree(text: string): SourceTree | null {
  const refused = text.length > MAX_LENGTH ? 'length' : bracketDepth(text) > MAX_DEPTH ? 'depth' : null
  return refused || text.length > MAX_TREE_LENGTH ? { text, tree: null, fragments: [], refused } : null
}

function treeOf(text: string, fragments: readonly TreeFragment[]): SourceTree {
  const tree = parser.parse(text, fragments)
  return { text, tree, fragments: TreeFragment.addTree(tree, fragments), refused: null }
}

/** Parses `text`, which came from `before` by `changes` (ordered, positions in the old text), reusing what they leave whole. */
export function reparseTree(
  before: SourceTree,
  text: string,
  changes: readonly { from: number; to: number; insert: string }[],
): SourceTree {
  const plain = withoutTree(text)
  if (plain) return plain
  let shift = 0
  const ranges = changes.map(({ from, to, insert }) => {
    const range = { fromA: from, toA: to, fromB: from + shift, toB: from + shift + insert.length }
    shift += insert.length - (to - from)
    return range
  })
  return treeOf(text, TreeFragment.applyChanges(before.fragments, ranges))
}

/** How deep brackets are nested outside strings and comments; an upper bound where the text is faulty. */
export function bracketDepth(text: string): number {
  let rough = 0
  let deepest = 0
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at)
    if (char === 40 || char === 91 || char === 123) deepest = Math.max(deepest, ++rough)
    else if (char === 41 || char === 93 || char === 125) rough = Math.max(0, rough - 1)
  }
  if (deepest <= MAX_DEPTH) return deepest
  let depth = 0
  deepest = 0
  for (const token of scanAll(text)) {
    if (token.kind !== 'op') continue
    if ('([{'.includes(token.text)) deepest = Math.max(deepest, ++depth)
    else if (')]}'.includes(token.text)) depth = Math.max(0, depth - 1)
  }
  return deepest
}

/** The tokens of the tree, with its faulty parts and anything it left out read again from the text. */
export function tokensOf({ text, tree }: SourceTree): Token[] {
  if (!tree || TYPOGRAPHIC.test(text)) return scanAll(text)
  const out: RawToken[] = []
  let end = 0
  const upTo = (to: number) => {
    if (to > end) end = scan(text, end, to, out)
  }
  const cursor = tree.cursor()
  for (let more = true; more; ) {
    const { from, to, name } = cursor
    const whole = name === 'String' || name === 'FormatString' || name === 'Comment' || cursor.type.isError
    if (to > from && (whole || !cursor.firstChild())) {
      if (from >= end) {
        upTo(from)
        if (cursor.type.isError || !isSound(text, name, from, to))
          end = Math.max(end, scan(text, from, to, out))
        else {
          if (name !== 'Comment')
            out.push({ kind: kindOf(text, from, name), from, to, text: text.slice(from, to) })
          end = to
        }
      }
      more = cursor.next(false)
    } else if (to === from) more = cursor.next(false)
  }
  upTo(text.length)
  return withLines(text, out)
}

function kindOf(text: string, at: number, name: string): Token['kind'] {
  if (name === 'String' || name === 'FormatString') return 'string'
  if (name === 'Number') return 'number'
  return /[\p{L}\p{Nl}_]/u.test(text[at] as string) ? 'name' : 'op'
}

const CLOSED = /^[A-Za-z]{0,2}('''|"""|'|")[\s\S]*\1$/

/** Lezer takes more characters into names than Python does, and leaves strings open without a mark. */
function isSound(text: string, name: string, from: number, to: number): boolean {
  if (name === 'String' || name === 'FormatString') {
    const source = text.slice(from, to)
    if (!CLOSED.test(source)) return false
    const again: RawToken[] = []
    scan(source, 0, source.length, again)
    return again.length === 1 && !again[0]?.unclosed
  }
  if (name === 'Comment') return true
  const source = text.slice(from, to)
  return /^(?:[\p{L}\p{Nl}_][\p{L}\p{Nl}\p{Mn}\p{Mc}\p{Nd}\p{Pc}]*|[\d.][\w.+-]*|[^\w\s'"#]{1,3})$/u.test(
    source,
  )
}
