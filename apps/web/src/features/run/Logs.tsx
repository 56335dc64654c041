import { useEffect, useMemo, useRef, useState } from 'react'
import type { LogLine } from '../../api/types.ts'
import { inputClass } from '../../ui/fields.tsx'
import { Scroll } from '../../ui/Panel.tsx'

/** Most lines on the page: the newest that pass the filter. */
const MAX_LINES = 1000
const order = { debug: 0, info: 1, warn: 2, error: 3 } as const
const colour = { debug: 'text-muted', info: 'text-ink', warn: 'text-warn', error: 'text-danger' } as const

function clock(at: number): string {
  const date = new Date(at)
  const pad = (value: number, digits: number) => String(value).padStart(digits, '0')
  return `${pad(date.getHours(), 2)}:${pad(date.getMinutes(), 2)}:${pad(date.getSeconds(), 2)}.${pad(date.getMilliseconds(), 3)}`
}

/** The log of a run with filters. Scrolls with the newest line, unless the user scrolls up. */
export function Logs({
  lines,
  source,
  onSource,
  onTrace,
}: {
  lines: readonly LogLine[]
  /** The source whose lines are shown; all when empty. */
  source: string
  onSource: (source: string) => void
  /** Opens the trace of the item that a line was logged for; `undefined` for lines of no invocation. */
  onTrace: (line: LogLine) => (() => void) | undefined
}) {
  const [words, setWords] = useState('')
  const [level, setLevel] = useState<LogLine['level']>('debug')
  const [follow, setFollow] = useState(true)
  const box = useRef<HTMLElement>(null)
  const sources = useMemo(() => [...new Set(lines.map((line) => line.source))].sort(), [lines])
  const passing = useMemo(() => {
    const wanted = words.trim().toLowerCase()
    return lines.filter(
      (line) =>
        order[line.level] >= order[level] &&
        (source === '' || line.source === source) &&
        (wanted === '' || `${line.source} ${line.device ?? ''} ${line.text}`.toLowerCase().includes(wanted)),
    )
  }, [lines, words, level, source])
  const visible = passing.slice(-MAX_LINES)

  useEffect(() => {
    if (follow && box.current) box.current.scrollTop = box.current.scrollHeight
  }, [visible.length, lines, follow])

  return (
    <>
      <div className="flex flex-wrap items-center gap-2 text-sm">
        <input
          className={`${inputClass} w-40!`}
          type="search"
          aria-label="Filter the log by text"
          placeholder="Filter…"
          value={words}
          onChange={(event) => setWords(event.target.value)}
        />
        <select
          className={`${inputClass} w-auto!`}
          aria-label="Lowest level"
          value={level}
          onChange={(event) => setLevel(event.target.value as LogLine['level'])}
        >
          <option value="debug">All levels</option>
          <option value="info">From info</option>
          <option value="warn">From warnings</option>
          <option value="error">Errors only</option>
        </select>
        <select
          className={`${inputClass} w-auto! max-w-44`}
          aria-label="Source"
          value={source}
          onChange={(event) => onSource(event.target.value)}
        >
          <option value="">All sources</option>
          {sources.map((one) => (
            <option key={one} value={one}>
              {one}
            </option>
          ))}
        </select>
        <label className="flex items-center gap-1.5">
          <input type="checkbox" checked={follow} onChange={(event) => setFollow(event.target.checked)} />
          Follow
        </label>
        <span className="text-xs text-muted">
          {passing.length.toLocaleString('en-GB')} of {lines.length.toLocaleString('en-GB')}
          {passing.length > visible.length ? `, newest ${MAX_LINES.toLocaleString('en-GB')} shown` : ''}
        </span>
      </div>
      <Scroll
        ref={box}
        data-testid="run-logs"
        label="Log lines"
        onScroll={(event) => {
          const { scrollTop, scrollHeight, clientHeight } = event.currentTarget
          setFollow(scrollHeight - scrollTop - clientHeight < 24)
        }}
        className="h-64 overflow-auto rounded-md border border-line bg-sunken p-2 font-mono text-xs leading-5"
      >
        {visible.length === 0 && (
          <p className="font-sans text-muted">
            {lines.length === 0 ? 'Nothing logged yet.' : 'No line passes the filter.'}
          </p>
        )}
        {visible.map((line, n) => (
          <div key={n} className={`whitespace-pre-wrap break-words ${colour[line.level]}`}>
            <LineTime line={line} onTrace={onTrace(line)} />{' '}
            {line.level !== 'info' && <span className="font-semibold">{line.level} </span>}
            <span className="font-semibold">
              {line.source}
              {line.device ? `@${line.device}` : ''}
            </span>{' '}
            {line.text}
          </div>
        ))}
      </Scroll>
    </>
  )
}

/** The time of a line; where it was logged by an invocation, a button that opens the trace of its item. */
function LineTime({ line, onTrace }: { line: LogLine; onTrace: (() => void) | undefined }) {
  if (!onTrace) return <span className="text-muted">{clock(line.at)}</span>
  return (
    <button
      type="button"
      title="Follow the item that this line was logged for"
      className="text-muted underline decoration-dotted underline-offset-2 hover:text-ink"
      data-testid={`log-trace-${line.source}`}
      onClick={onTrace}
    >
      {clock(line.at)}
    </button>
  )
}
