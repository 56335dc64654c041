import { useState } from 'react'
import type { StoreObject, StorePool } from '../../api/types.ts'
import { Button } from '../../ui/Button.tsx'
import { Nothing } from '../../ui/feedback.tsx'
import { inputClass } from '../../ui/fields.tsx'
import { Scroll } from '../../ui/Panel.tsx'
import { moveAmongRows } from '../../ui/rowKeys.ts'
import { useFirst } from '../../ui/useFirst.tsx'
import * as format from '../reports/format.ts'
import { isoOf, nameIn } from './objects.ts'

const INITIAL_ROWS = 200

/** The objects of a pool, with a filter. */
export function ObjectTable({
  pool,
  objects,
  chosen,
  onChoose,
  onRemove,
  more,
}: {
  pool: StorePool
  objects: readonly StoreObject[]
  chosen: string | undefined
  onChoose: (key: string) => void
  onRemove: ((object: StoreObject) => void) | undefined
  more: (() => void) | undefined
}) {
  const [filter, setFilter] = useState('')
  const wanted = filter.trim().toLowerCase()
  const matching = wanted === '' ? objects : objects.filter(({ key }) => key.toLowerCase().includes(wanted))
  const rows = useFirst(matching, INITIAL_ROWS)
  if (objects.length === 0)
    return (
      <Nothing title="No objects in this pool">
        {pool.persistence === 'transient'
          ? 'A transient pool announces what is written and keeps nothing.'
          : pool.ofRun
            ? 'The run has kept no value here.'
            : 'Put one, or write from a script: hivemind store put.'}
      </Nothing>
    )
  const head = 'sticky top-0 bg-surface py-1 pr-3 font-medium'
  return (
    <>
      <input
        className={inputClass}
        type="search"
        aria-label="Filter objects by key"
        placeholder="Filter by key"
        value={filter}
        onChange={(event) => setFilter(event.target.value)}
      />
      {matching.length === 0 && <p className="text-sm text-muted">No key contains “{filter.trim()}”.</p>}
      <Scroll label="Objects" className="min-h-0 flex-1 overflow-auto" onKeyDown={moveAmongRows}>
        <table className="w-full border-collapse text-[13px]" data-testid="objects">
          <thead className="text-left text-xs text-muted">
            <tr>
              <th scope="col" className={head}>
                Key
              </th>
              <th scope="col" className={`${head} text-right`}>
                Version
              </th>
              <th scope="col" className={`${head} text-right`}>
                Size
              </th>
              <th scope="col" className={`${head} max-xl:hidden`}>
                Type
              </th>
              <th scope="col" className={`${head} text-right`}>
                Written
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.first.map((object) => (
              <tr
                key={object.key}
                className={`border-t border-line align-top ${object.key === chosen ? 'bg-accent-soft' : ''}`}
              >
                <th scope="row" className="py-0.5 pr-3 text-left font-normal">
                  <button
                    type="button"
                    data-row
                    aria-current={object.key === chosen ? 'true' : undefined}
                    className="w-full rounded px-1 py-0.5 text-left font-mono text-xs break-all hover:bg-sunken"
                    onClick={() => onChoose(object.key)}
                    onKeyDown={(event) => {
                      if (event.key === 'Delete') onRemove?.(object)
                    }}
                  >
                    {nameIn(pool.path, object.key)}
                  </button>
                </th>
                <td className="py-1 pr-3 text-right tabular-nums">{format.whole(object.version)}</td>
                <td className="py-1 pr-3 text-right tabular-nums whitespace-nowrap">
                  {format.bytes(object.size)}
                </td>
                <td className="py-1 pr-3 break-all max-xl:hidden">{object.type}</td>
                <td className="py-1 pr-1 text-right tabular-nums whitespace-nowrap">
                  {format.instant(isoOf(object.timestamp))}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
        <div className="flex gap-2 pt-2">
          {rows.more}
          {rows.more === null && more && <Button onClick={more}>Load more</Button>}
        </div>
      </Scroll>
    </>
  )
}
