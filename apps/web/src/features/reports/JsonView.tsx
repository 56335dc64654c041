import type { ReactNode } from 'react'
import { bytesOf, imageType } from './bytes.ts'
import * as format from './format.ts'

const MAX_MEMBERS = 200
const MAX_DEPTH = 12

function Scalar({ value }: { value: unknown }) {
  if (value === null || value === undefined) return <span className="text-muted">null</span>
  if (typeof value === 'string')
    return (
      <span className="break-words whitespace-pre-wrap">
        "{value.length > 2000 ? `${value.slice(0, 2000)}… (${value.length} characters)` : value}"
      </span>
    )
  return <span className="tabular-nums">{String(value)}</span>
}

/** Bytes as an image when the browser can show it, else their size. */
function Bytes({ base64, truncated, name }: { base64: string; truncated: boolean; name: string }) {
  const type = imageType(base64)
  const size = Math.floor((base64.length * 3) / 4)
  const note = `${format.bytes(size)}${truncated ? ', first part only' : ''}`
  if (!type || truncated)
    return (
      <span className="text-muted">
        {type ? 'image' : 'bytes'}, {note}
      </span>
    )
  return (
    <figure className="inline-flex flex-col gap-1">
      <img
        src={`data:${type};base64,${base64}`}
        alt={`Output ${name}`}
        className="max-h-56 max-w-full rounded border border-line"
      />
      <figcaption className="text-xs text-muted">
        {type}, {note}
      </figcaption>
    </figure>
  )
}

/** A JSON value as a tree that opens and closes. Long lists and deep trees are cut, with a note. */
export function JsonView({
  value,
  name,
  label,
  depth = 0,
}: {
  value: unknown
  /** Path of the value, for the description of images. */
  name: string
  /** The member's key, when it is one. */
  label?: string
  depth?: number
}) {
  const key = label === undefined ? null : <span className="text-muted">{label}: </span>
  const leaf = (content: ReactNode) => (
    <>
      {key}
      {content}
    </>
  )
  const bytes = bytesOf(value)
  if (bytes) return leaf(<Bytes {...bytes} name={name} />)
  if (typeof value !== 'object' || value === null) return leaf(<Scalar value={value} />)
  const members: [string, unknown][] = Array.isArray(value)
    ? value.slice(0, MAX_MEMBERS).map((item, n) => [String(n), item])
    : Object.entries(value).slice(0, MAX_MEMBERS)
  const size = Array.isArray(value) ? value.length : Object.keys(value).length
  const summary = Array.isArray(value) ? format.count(size, 'item') : format.count(size, 'member')
  if (size === 0) return leaf(<span className="text-muted">{Array.isArray(value) ? '[ ]' : '{ }'}</span>)
  if (depth >= MAX_DEPTH) return leaf(<span className="text-muted">… {summary} not shown</span>)
  return (
    <details open={depth < 1 || (depth < 3 && size <= 8)}>
      <summary className="min-h-6 cursor-pointer leading-6 text-muted">
        {key}
        {summary}
      </summary>
      <ul className="ml-1 border-l border-line pl-3">
        {members.map(([member, inner]) => (
          <li key={member} className="py-px">
            <JsonView value={inner} name={`${name}.${member}`} label={member} depth={depth + 1} />
          </li>
        ))}
        {size > members.length && (
          <li className="text-muted">… {`${(size - members.length).toLocaleString('en-GB')} more`}</li>
        )}
      </ul>
    </details>
  )
}
