import { KeyRound, Plus } from 'lucide-react'
import { useState } from 'react'
import { Link, useSearchParams } from 'react-router'
import { api } from '../../api/client.ts'
import { useEvery, useLoad } from '../../api/useLoad.ts'
import { Breadcrumb } from '../../shell/Breadcrumb.tsx'
import { SchemeButton } from '../../shell/SchemeButton.tsx'
import { Button } from '../../ui/Button.tsx'
import { Nothing, ProblemNote, Waiting } from '../../ui/feedback.tsx'
import { Panel } from '../../ui/Panel.tsx'
import { usePageVisible } from '../../ui/usePageVisible.ts'
import { CreatePoolDialog } from './dialogs.tsx'
import { PoolList } from './PoolList.tsx'
import { PoolView } from './PoolView.tsx'

const REFRESH_MS = 5_000

/** Pools of the store, their objects as they are written, versions and values. The address names what is chosen. */
export default function StoreScreen() {
  const [address, setAddress] = useSearchParams()
  const pools = useLoad((signal) => api.listStorePools(signal), [])
  const [creating, setCreating] = useState(false)
  useEvery(REFRESH_MS, usePageVisible(), pools.reload)
  const path = address.get('pool') ?? undefined
  const pool = pools.data?.find((one) => one.path === path)
  const choose = (next: { pool?: string; key?: string | undefined }) =>
    setAddress(
      Object.entries(next).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, value] as [string, string]],
      ),
    )
  return (
    <div className="flex h-full flex-col">
      <header className="flex h-12 shrink-0 items-center justify-between gap-3 border-b border-line bg-surface px-3">
        <Breadcrumb>
          <span>Store</span>
        </Breadcrumb>
        <span className="flex items-center gap-2">
          <Link
            to="/store/keys"
            data-testid="access-keys-link"
            className="inline-flex h-8 items-center gap-1.5 rounded-md px-2 text-sm font-medium hover:bg-sunken"
          >
            <KeyRound className="size-4" aria-hidden="true" />
            Access keys
          </Link>
          <SchemeButton />
        </span>
      </header>
      <main className="grid min-h-0 flex-1 gap-3 p-3 max-lg:auto-rows-min max-lg:overflow-y-auto lg:grid-cols-[minmax(200px,17rem)_minmax(0,1fr)_minmax(260px,24rem)]">
        <h1 className="sr-only">Store</h1>
        <Panel
          title="Pools"
          className="min-h-0"
          actions={
            <Button data-testid="create-pool" onClick={() => setCreating(true)}>
              <Plus className="size-4" aria-hidden="true" />
              Create
            </Button>
          }
        >
          <ProblemNote problem={pools.problem} retry={pools.reload} />
          {!pools.data && pools.loading && <Waiting what="Loading the pools" />}
          {pools.data?.length === 0 && (
            <Nothing title="No pool yet">
              A pool holds versioned objects. Create one, or run a workflow: large values that Persist keeps
              are here.
            </Nothing>
          )}
          {pools.data && pools.data.length > 0 && (
            <PoolList pools={pools.data} chosen={path} onChoose={(next) => choose({ pool: next })} />
          )}
        </Panel>
        {pool ? (
          <PoolView
            key={`${pool.path} ${pool.created}`}
            pool={pool}
            chosen={address.get('key') ?? undefined}
            onChoose={(key) => choose({ pool: pool.path, key })}
            onRemoved={() => {
              choose({})
              pools.reload()
            }}
          />
        ) : (
          <div className="rounded-lg border border-dashed border-line-strong lg:col-span-2">
            {pools.data && (
              <Nothing title={path === undefined ? 'Choose a pool' : 'This pool is not there'}>
                {path === undefined
                  ? 'Its objects appear here, and each write to them as it comes.'
                  : `No pool has the path ${path}: it was removed, or never was there.`}
              </Nothing>
            )}
          </div>
        )}
        {creating && (
          <CreatePoolDialog
            onCreated={(created) => {
              setCreating(false)
              pools.reload()
              choose({ pool: created })
            }}
            onClose={() => setCreating(false)}
          />
        )}
      </main>
    </div>
  )
}
