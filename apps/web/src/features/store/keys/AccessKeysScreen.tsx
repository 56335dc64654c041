import { ChevronRight, Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'react-router'
import { api } from '../../../api/client.ts'
import type { AccessKey } from '../../../api/types.ts'
import { useEvery, useLoad } from '../../../api/useLoad.ts'
import { Breadcrumb } from '../../../shell/Breadcrumb.tsx'
import { SchemeButton } from '../../../shell/SchemeButton.tsx'
import { Button } from '../../../ui/Button.tsx'
import { Badge, Nothing, ProblemNote, Waiting } from '../../../ui/feedback.tsx'
import { Panel, Scroll } from '../../../ui/Panel.tsx'
import { usePageVisible } from '../../../ui/usePageVisible.ts'
import * as format from '../../reports/format.ts'
import { RemoveDialog } from '../dialogs.tsx'
import { AccessKeyDialog } from './AccessKeyDialog.tsx'
import { ACCESS_WORDS } from './accessKeys.ts'

const REFRESH_MS = 10_000

/** Access keys of the store: who has which part of it, making and removing. */
export default function AccessKeysScreen() {
  const keys = useLoad((signal) => api.listAccessKeys(signal), [])
  const [dialog, setDialog] = useState<'make' | { remove: string }>()
  const close = () => setDialog(undefined)
  useEvery(REFRESH_MS, usePageVisible(), keys.reload)
  return (
    <div className="flex h-full flex-col">
      <header className="flex h-12 shrink-0 items-center justify-between gap-3 border-b border-line bg-surface px-3">
        <Breadcrumb>
          <Link to="/store" className="rounded-md px-1.5 py-1 hover:bg-sunken">
            Store
          </Link>
          <ChevronRight className="size-4 shrink-0 text-muted" aria-hidden="true" />
          <span>Access keys</span>
        </Breadcrumb>
        <SchemeButton />
      </header>
      <main className="min-h-0 flex-1 overflow-y-auto p-4">
        <h1 className="sr-only">Access keys</h1>
        <div className="mx-auto flex max-w-5xl flex-col gap-4">
          <ProblemNote problem={keys.problem} retry={keys.reload} />
          {!keys.data && keys.loading && <Waiting what="Loading the access keys" />}
          {keys.data && (
            <Panel
              title="Access keys"
              testId="access-keys"
              actions={
                <Button data-testid="make-access-key" onClick={() => setDialog('make')}>
                  <Plus className="size-4" aria-hidden="true" />
                  Make a key
                </Button>
              }
            >
              {keys.data.length === 0 ? (
                <Nothing title="No access key yet">
                  Give a program or a device a key of its own: it reads, or reads and writes, under the
                  prefixes that you name, and reaches nothing else.
                </Nothing>
              ) : (
                <KeyTable keys={keys.data} onRemove={(remove) => setDialog({ remove })} />
              )}
            </Panel>
          )}
        </div>
        {dialog === 'make' && <AccessKeyDialog keys={keys.data ?? []} onMade={keys.reload} onClose={close} />}
        {typeof dialog === 'object' && (
          <RemoveDialog
            title={`Remove the access key ${dialog.remove}?`}
            remove={() => api.removeAccessKey(dialog.remove).then(keys.reload)}
            onClose={close}
          >
            <p>
              It is refused from now on, and the streams that a program has open with it end. What was written
              with it stays.
            </p>
          </RemoveDialog>
        )}
      </main>
    </div>
  )
}

function KeyTable({ keys, onRemove }: { keys: readonly AccessKey[]; onRemove: (name: string) => void }) {
  const head = 'py-1 pr-3 font-medium'
  return (
    <Scroll label="Access keys" className="overflow-x-auto">
      <table className="w-full border-collapse text-[13px]">
        <thead className="text-left text-xs text-muted">
          <tr>
            <th scope="col" className={head}>
              Name
            </th>
            <th scope="col" className={head}>
              May
            </th>
            <th scope="col" className={head}>
              Expires
            </th>
            <th scope="col" className={head}>
              Made
            </th>
            <th scope="col">
              <span className="sr-only">Remove</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {keys.map(({ name, grants, expiresAt, expired, createdAt }) => (
            <tr key={name} className="border-t border-line align-top">
              <th scope="row" className="py-1 pr-3 text-left font-normal break-all">
                {name}
              </th>
              <td className="py-1 pr-3">
                <ul>
                  {grants.map(({ prefix, access }) => (
                    <li key={`${prefix} ${access}`}>
                      {ACCESS_WORDS[access]} <span className="font-mono text-xs break-all">{prefix}</span>
                    </li>
                  ))}
                </ul>
              </td>
              <td className="py-1 pr-3">
                {expired && <Badge tone="danger">expired</Badge>}{' '}
                {expiresAt ? format.instant(expiresAt) : 'never'}
              </td>
              <td className="py-1 pr-3">{format.instant(createdAt)}</td>
              <td className="py-0.5 text-right">
                <Button className="h-7! px-2!" aria-label={`Remove ${name}`} onClick={() => onRemove(name)}>
                  <Trash2 className="size-3.5" aria-hidden="true" />
                </Button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  )
}
