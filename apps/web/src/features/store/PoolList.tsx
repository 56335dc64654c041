import type { StorePool } from '../../api/types.ts'
import { Badge } from '../../ui/feedback.tsx'
import { Scroll } from '../../ui/Panel.tsx'
import { moveAmongRows } from '../../ui/rowKeys.ts'
import { useFirst } from '../../ui/useFirst.tsx'
import { retentionText } from './objects.ts'

const INITIAL_ROWS = 200

/** The pools of the store, those of runs after the others. */
export function PoolList({
  pools,
  chosen,
  onChoose,
}: {
  pools: readonly StorePool[]
  chosen: string | undefined
  onChoose: (pool: string) => void
}) {
  const own = pools.filter(({ ofRun }) => !ofRun)
  const ofRuns = pools.filter(({ ofRun }) => ofRun).toSorted((a, b) => b.created - a.created)
  const { first, more } = useFirst([...own, ...ofRuns], INITIAL_ROWS)
  return (
    <Scroll label="Pools" className="-m-1 min-h-0 flex-1 overflow-y-auto p-1" onKeyDown={moveAmongRows}>
      <ul className="flex flex-col gap-0.5" data-testid="pools">
        {first.map((pool) => (
          <li key={pool.path}>
            <button
              type="button"
              data-row
              aria-current={pool.path === chosen ? 'true' : undefined}
              title={`${pool.path}: ${retentionText(pool)}`}
              className={`flex w-full flex-col items-start gap-0.5 rounded-md px-2 py-1.5 text-left ${pool.path === chosen ? 'bg-accent-soft text-accent-strong' : 'hover:bg-sunken'}`}
              onClick={() => onChoose(pool.path)}
            >
              <span className="font-mono text-xs break-all">{pool.path}</span>
              <span className="flex flex-wrap gap-1">
                <Badge>{pool.persistence}</Badge>
                {pool.ofRun && <Badge title="Values of a run: removed with it">run</Badge>}
              </span>
            </button>
          </li>
        ))}
      </ul>
      {more}
    </Scroll>
  )
}
