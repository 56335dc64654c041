import { Pencil, Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { api } from '../../api/client.ts'
import type { TargetRecord } from '../../api/types.ts'
import { useAction, useFocus, useLoad } from '../../api/useLoad.ts'
import { Breadcrumb } from '../../shell/Breadcrumb.tsx'
import { SchemeButton } from '../../shell/SchemeButton.tsx'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { Nothing, ProblemNote, Waiting } from '../../ui/feedback.tsx'
import { Panel } from '../../ui/Panel.tsx'
import * as format from '../reports/format.ts'
import { useUsualTarget } from '../reports/usualTarget.ts'
import { CheckResult } from './CheckResult.tsx'
import { TargetDialog } from './TargetDialog.tsx'

/** Clusters that workflows can be deployed to: adding, checking, changing and removing. */
export default function TargetsScreen() {
  const targets = useLoad((signal) => api.listTargets(signal), [])
  const [dialog, setDialog] = useState<'add' | { change: TargetRecord } | { remove: TargetRecord }>()
  const close = () => setDialog(undefined)
  useFocus(targets.reload)
  const usual = useUsualTarget()
  return (
    <div className="flex h-full flex-col print:block print:h-auto">
      <header className="flex h-12 shrink-0 items-center justify-between gap-3 border-b border-line bg-surface px-3">
        <Breadcrumb>
          <span>Targets</span>
        </Breadcrumb>
        <SchemeButton />
      </header>
      <main className="min-h-0 flex-1 overflow-y-auto p-4">
        <h1 className="sr-only">Targets</h1>
        <div className="mx-auto flex max-w-5xl flex-col gap-4">
          <ProblemNote problem={targets.problem} retry={targets.reload} />
          {!targets.data && targets.loading && <Waiting what="Loading the targets" />}
          {targets.data && (
            <Panel
              title="Targets"
              testId="targets"
              actions={
                <Button data-testid="add-target" onClick={() => setDialog('add')}>
                  <Plus className="size-4" aria-hidden="true" />
                  Add a target
                </Button>
              }
            >
              {targets.data.length > 0 && (
                <p className="text-sm text-muted">
                  Tasks in the cloud run on {usual}, unless you choose one of these where you deploy.
                </p>
              )}
              {targets.data.length === 0 ? (
                <NoTargets usual={usual} />
              ) : (
                <ul className="flex flex-col">
                  {targets.data.map((target) => (
                    <Target
                      key={`${target.name} ${target.updatedAt}`}
                      target={target}
                      onChange={() => setDialog({ change: target })}
                      onRemove={() => setDialog({ remove: target })}
                    />
                  ))}
                </ul>
              )}
            </Panel>
          )}
        </div>
        {dialog === 'add' && <TargetDialog onSaved={targets.reload} onClose={close} />}
        {typeof dialog === 'object' && 'change' in dialog && (
          <TargetDialog target={dialog.change} onSaved={targets.reload} onClose={close} />
        )}
        {typeof dialog === 'object' && 'remove' in dialog && (
          <RemoveDialog target={dialog.remove} onRemoved={targets.reload} onClose={close} />
        )}
      </main>
    </div>
  )
}

function NoTargets({ usual }: { usual: string }) {
  return (
    <Nothing title="No target yet">
      <p className="mb-2">
        Tasks in the cloud run on {usual}. Add a Kubernetes cluster with Knative, such as staging or
        production, to deploy to it by name.
      </p>
      <p>
        Without a cluster, <code>npm run cluster -- up</code> makes one on this machine. The file
        docs/knative.md explains what a cluster needs.
      </p>
    </Nothing>
  )
}

function Target({
  target,
  onChange,
  onRemove,
}: {
  target: TargetRecord
  onChange: () => void
  onRemove: () => void
}) {
  const { name, server, context, namespace, live, updatedAt } = target
  const check = useLoad((signal) => api.checkTarget(name, signal), [name])
  const busy = live > 0 ? 'Undeploy what runs there first' : undefined
  return (
    <li
      className="flex flex-col gap-2 border-t border-line py-3 first:border-t-0"
      data-testid={`target-${name}`}
    >
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h2 className="text-base font-semibold break-all">{name}</h2>
        <span className="flex items-center gap-1">
          <Button busy={check.loading} onClick={check.reload}>
            Check
          </Button>
          <Button
            className="px-2!"
            aria-label={`Change ${name}`}
            disabled={live > 0}
            title={busy}
            onClick={onChange}
          >
            <Pencil className="size-4" aria-hidden="true" />
          </Button>
          <Button
            className="px-2!"
            aria-label={`Remove ${name}`}
            disabled={live > 0}
            title={busy}
            onClick={onRemove}
          >
            <Trash2 className="size-4" aria-hidden="true" />
          </Button>
        </span>
      </div>
      <p className="text-sm break-words text-muted">
        {server}, context {context}, namespace {namespace}.{' '}
        {live === 0 ? 'Nothing is deployed there.' : `${format.count(live, 'deployment')} there.`} Set{' '}
        {format.instant(updatedAt)}.
      </p>
      <ProblemNote problem={check.problem} />
      {check.data ? (
        <CheckResult check={check.data} />
      ) : (
        check.loading && <Waiting what="Asking the cluster" />
      )}
    </li>
  )
}

function RemoveDialog({
  target: { name },
  onRemoved,
  onClose,
}: {
  target: TargetRecord
  onRemoved: () => void
  onClose: () => void
}) {
  const remove = useAction(async () => {
    await api.removeTarget(name)
    onRemoved()
    onClose()
  })
  return (
    <Dialog title={`Remove ${name}?`} onClose={onClose}>
      <div className="flex flex-col gap-3 text-sm">
        <p>
          The service forgets its kubeconfig. Nothing changes on the cluster. To deploy there again the target
          must be added again.
        </p>
        <ProblemNote problem={remove.problem} />
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button look="danger" busy={remove.busy} onClick={() => void remove.run()}>
            Remove
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
