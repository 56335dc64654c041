import { Trash2, Upload } from 'lucide-react'
import { useState } from 'react'
import { api } from '../../api/client.ts'
import type { StoreObject, StorePool } from '../../api/types.ts'
import { Button } from '../../ui/Button.tsx'
import { Badge, ProblemNote, Waiting } from '../../ui/feedback.tsx'
import { Panel } from '../../ui/Panel.tsx'
import * as format from '../reports/format.ts'
import { PutDialog, RemoveDialog } from './dialogs.tsx'
import { reachText } from './keys/accessKeys.ts'
import { ObjectDetail } from './ObjectDetail.tsx'
import { ObjectTable } from './ObjectTable.tsx'
import { retentionText } from './objects.ts'
import { type LiveObjects, useObjects } from './useObjects.ts'

type Dialog = { put: StoreObject | undefined } | { remove: StoreObject } | 'remove-pool'

/** The objects of a pool, and the chosen one. */
export function PoolView({
  pool,
  chosen,
  onChoose,
  onRemoved,
}: {
  pool: StorePool
  chosen: string | undefined
  onChoose: (key: string | undefined) => void
  onRemoved: () => void
}) {
  const live = useObjects(pool.path)
  const [version, setVersion] = useState<{ key: string; version: number | undefined }>()
  const [dialog, setDialog] = useState<Dialog>()
  const close = () => setDialog(undefined)
  const writable = !pool.ofRun
  const latest = live.objects?.find(({ key }) => key === chosen)?.version
  return (
    <>
      <Panel
        title="Objects"
        className="min-h-0"
        testId="pool"
        actions={
          writable && (
            <span className="flex gap-2">
              <Button data-testid="put-object" onClick={() => setDialog({ put: undefined })}>
                <Upload className="size-4" aria-hidden="true" />
                Put
              </Button>
              <Button aria-label={`Remove pool ${pool.path}`} onClick={() => setDialog('remove-pool')}>
                <Trash2 className="size-4" aria-hidden="true" />
              </Button>
            </span>
          )
        }
      >
        <PoolLine pool={pool} live={live} />
        <ProblemNote problem={live.problem} retry={live.reload} />
        {!live.objects && !live.problem && <Waiting what="Loading the objects" />}
        {live.objects && (
          <ObjectTable
            pool={pool}
            objects={live.objects}
            chosen={chosen}
            onChoose={onChoose}
            onRemove={writable ? (remove) => setDialog({ remove }) : undefined}
            more={live.more}
          />
        )}
      </Panel>
      <Panel title="Object" className="min-h-0 overflow-y-auto" testId="object">
        {chosen === undefined ? (
          <p className="text-sm text-muted">Choose an object to see its value and its versions.</p>
        ) : (
          <ObjectDetail
            key={chosen}
            objectKey={chosen}
            latest={latest}
            version={version?.key === chosen ? version.version : undefined}
            onChoose={(next) => setVersion({ key: chosen, version: next })}
            onPut={writable ? (put) => setDialog({ put }) : undefined}
            onRemove={writable ? (remove) => setDialog({ remove }) : undefined}
          />
        )}
      </Panel>
      {dialog === 'remove-pool' && (
        <RemoveDialog
          title="Remove the pool?"
          remove={() => api.removeStorePool(pool.path).then(onRemoved)}
          onClose={close}
        >
          <p>
            All objects of <span className="font-mono break-all">{pool.path}</span> go with it, with all their
            versions. This cannot be undone.
          </p>
        </RemoveDialog>
      )}
      {typeof dialog === 'object' && 'put' in dialog && (
        <PutDialog
          pool={pool.path}
          over={dialog.put}
          onPut={(object) => {
            close()
            setVersion(undefined)
            onChoose(object.key)
          }}
          onClose={close}
        />
      )}
      {typeof dialog === 'object' && 'remove' in dialog && (
        <RemoveDialog
          title="Remove the object?"
          remove={() =>
            api.removeStoreObject({ key: dialog.remove.key, expectedVersion: dialog.remove.version })
          }
          onClose={close}
        >
          <p>
            <span className="font-mono break-all">{dialog.remove.key}</span> gets a version that says removed.
            Versions that the pool keeps stay readable.
          </p>
        </RemoveDialog>
      )}
    </>
  )
}

const connections = {
  connecting: { tone: 'muted', text: 'connecting' },
  open: { tone: 'ok', text: 'live' },
  lost: { tone: 'warn', text: 'reconnecting' },
} as const

function PoolLine({ pool, live }: { pool: StorePool; live: LiveObjects }) {
  const { tone, text } = connections[live.connection]
  const reach = reachText(pool)
  const size = live.objects?.reduce((sum, object) => sum + object.size, 0) ?? 0
  return (
    <p className="flex flex-wrap items-center gap-x-3 gap-y-1 text-xs text-muted" data-testid="pool-line">
      <Badge tone={tone} title="Writes appear as they come while the connection is live.">
        {text}
      </Badge>
      {live.objects && (
        <span>
          {format.count(live.objects.length, 'object')}
          {live.total !== undefined && ` of ${format.whole(live.total)}`}, {format.bytes(size)}
        </span>
      )}
      <span>{format.number(live.rate, 2)} writes/s</span>
      <span>{retentionText(pool)}</span>
      {reach && <span className="[overflow-wrap:anywhere]">{reach}</span>}
    </p>
  )
}
