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

/** Bytes: an image when the browser can show it, else their size. */
function Bytes({ base64, truncated, name }: { base64: string; truncated: boolean; name: string }) {
  const type = imageType(base64)
  const size = Math.floor((base64.length * 3) / 4)
  const note = `${format.bytes(size)}${truncated ? ', the beginning only' : ''}`
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

/** Any JSON value as a tree that opens and closes; long lists and deep trees are cut, and say so. */
export function JsonView({ value, name, depth = 0 }: { value: unknown; name: string; depth?: number }) {
  const bytes = bytesOf(value)
  if (bytes) return <Bytes {...bytes} name={name} />
  if (typeof value !== 'object' || value === null) return <Scalar value={value} />
  const members: [string, unknown][] = Array.isArray(value)
    ? value.slice(0, MAX_MEMBERS).map((item, n) => [String(n), item])
    : Object.entries(value).slice(0, MAX_MEMBERS)
  const size = Array.isArray(value) ? value.length : Object.keys(value).length
  const summary = Array.isArray(value) ? format.count(size, 'item') : format.count(size, 'member')
  if (size === 0) return <span className="text-muted">{Array.isArray(value) ? '[ ]' : '{ }'}</span>
  if (depth >= MAX_DEPTH) return <span className="text-muted">… {summary} deeper down</span>
  return (
    <details open={depth < 1 || (depth < 3 && size <= 8)}>
      <summary className="cursor-pointer text-muted">{summary}</summary>
      <ul className="ml-1 border-l border-line pl-3">
        {members.map(([key, inner]) => (
          <li key={key} className="py-px">
            <span className="text-muted">{key}: </span>
            <JsonView value={inner} name={`${name}.${key}`} depth={depth + 1} />
          </li>
        ))}
        {size > members.length && (
          <li className="text-muted">… {`${(size - members.length).toLocaleString('en-GB')} more`}</li>
        )}
      </ul>
    </details>
  )
}
