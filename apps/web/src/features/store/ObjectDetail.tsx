import { Download, Trash2, Upload } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { api, storeObjectUrl } from '../../api/client.ts'
import type { StoreObject } from '../../api/types.ts'
import { useLoad } from '../../api/useLoad.ts'
import { Button } from '../../ui/Button.tsx'
import { Badge, ProblemNote, Waiting } from '../../ui/feedback.tsx'
import { Scroll } from '../../ui/Panel.tsx'
import { moveAmongRows } from '../../ui/rowKeys.ts'
import * as format from '../reports/format.ts'
import { isoOf } from './objects.ts'
import { Preview } from './Preview.tsx'

/** Versions of one object, oldest first, which the service gives at once. */
const MAX_VERSIONS = 10_000
const SHOWN_VERSIONS = 100

/** One object: its versions, and the value of the chosen one. */
export function ObjectDetail({
  objectKey,
  latest,
  version,
  onChoose,
  onPut,
  onRemove,
}: {
  objectKey: string
  /** Version of the newest write that the screen knows: versions are loaded again when it changes. */
  latest: number | undefined
  /** The chosen version; the latest when absent. */
  version: number | undefined
  onChoose: (version: number | undefined) => void
  onPut: ((latest: StoreObject) => void) | undefined
  onRemove: ((latest: StoreObject) => void) | undefined
}) {
  const loaded = useLoad(
    (signal) => api.listStoreVersions({ key: objectKey, limit: MAX_VERSIONS }, signal),
    [objectKey],
  )
  const { reload } = loaded
  const known = useRef(latest)
  useEffect(() => {
    if (known.current === latest) return
    known.current = latest
    reload()
  }, [latest, reload])
  const versions = loaded.data?.toReversed() ?? []
  const newest = versions[0]
  const shown = versions.find((one) => one.version === version) ?? newest
  return (
    <>
      <p className="font-mono text-xs break-all" data-testid="object-key">
        {objectKey}
      </p>
      <ProblemNote problem={loaded.problem} retry={loaded.reload} />
      {!loaded.data && loaded.loading && <Waiting what="Loading the versions" />}
      {loaded.data && !shown && <p className="text-sm text-muted">No version of this object is kept.</p>}
      {shown && newest && (
        <>
          <div className="flex flex-wrap gap-2">
            {!shown.removed && (
              <a
                className="inline-flex h-8 items-center gap-1.5 rounded-md border border-line-strong px-3 text-sm font-medium hover:bg-sunken"
                href={storeObjectUrl(shown.key, shown.version)}
                download
              >
                <Download className="size-4" aria-hidden="true" />
                Download
              </a>
            )}
            {onPut && (
              <Button onClick={() => onPut(newest)}>
                <Upload className="size-4" aria-hidden="true" />
                New version
              </Button>
            )}
            {onRemove && !newest.removed && (
              <Button look="danger" onClick={() => onRemove(newest)}>
                <Trash2 className="size-4" aria-hidden="true" />
                Remove
              </Button>
            )}
          </div>
          <section aria-label="Value" className="flex flex-col gap-1" data-testid="object-value">
            <p className="text-xs text-muted">
              Version {format.whole(shown.version)}
              {shown.removed ? ', removed' : `, ${format.bytes(shown.size)}, ${shown.type}`}
            </p>
            {shown.removed ? (
              <p className="text-sm text-muted">This version says that the object was removed.</p>
            ) : (
              <Preview object={shown} />
            )}
          </section>
          <h3 className="text-xs font-medium text-muted">{format.count(versions.length, 'version')} kept</h3>
          <Scroll
            label="Versions"
            className="max-h-64 min-h-24 flex-1 overflow-y-auto"
            onKeyDown={moveAmongRows}
          >
            <ul className="flex flex-col" data-testid="versions">
              {versions.slice(0, SHOWN_VERSIONS).map((one) => (
                <li key={one.version}>
                  <button
                    type="button"
                    data-row
                    aria-current={one.version === shown.version ? 'true' : undefined}
                    className={`flex w-full items-baseline gap-2 rounded px-2 py-1 text-left text-[13px] tabular-nums ${one.version === shown.version ? 'bg-accent-soft text-accent-strong' : 'hover:bg-sunken'}`}
                    onClick={() => onChoose(one.version === newest.version ? undefined : one.version)}
                  >
                    <span className="w-14">{format.whole(one.version)}</span>
                    <span className="flex-1 text-xs">{format.instant(isoOf(one.timestamp))}</span>
                    {one.removed ? <Badge tone="warn">removed</Badge> : <span>{format.bytes(one.size)}</span>}
                  </button>
                </li>
              ))}
            </ul>
            {versions.length > SHOWN_VERSIONS && (
              <p className="p-2 text-xs text-muted">
                The newest {SHOWN_VERSIONS} are shown; hivemind store history lists all.
              </p>
            )}
          </Scroll>
        </>
      )}
    </>
  )
}
