import { FileUp } from 'lucide-react'
import { useRef, useState } from 'react'
import { api } from '../../api/client.ts'
import type { TargetCheck, TargetRecord } from '../../api/types.ts'
import { useAction } from '../../api/useLoad.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { ProblemNote } from '../../ui/feedback.tsx'
import { Field, inputClass } from '../../ui/fields.tsx'
import { CheckResult } from './CheckResult.tsx'
import { targetNameProblem } from './targets.ts'

interface Draft {
  name: string
  kubeconfig: string
  context: string
  namespace: string
  ingress: string
  node: string
  python: string
}

const draftOf = (target: TargetRecord | undefined): Draft => ({
  name: target?.name ?? '',
  kubeconfig: '',
  context: '',
  namespace: target?.namespace ?? '',
  ingress: target?.ingress ?? '',
  node: target?.images?.node ?? '',
  python: target?.images?.python ?? '',
})

/** What is sent of a draft, without its name and kubeconfig. */
function settingsOf({ context, namespace, ingress, node, python }: Draft) {
  return {
    ...(context !== '' && { context }),
    ...(namespace.trim() !== '' && { namespace: namespace.trim() }),
    ...(ingress.trim() !== '' && { ingress: ingress.trim() }),
    ...((node.trim() !== '' || python.trim() !== '') && {
      images: { node: node.trim(), python: python.trim() },
    }),
  }
}

/** Adds a cluster under a name, or changes one. The service checks it before it keeps it. */
export function TargetDialog({
  target,
  onSaved,
  onClose,
}: {
  /** The target to change; a new one when absent. */
  target?: TargetRecord
  onSaved: () => void
  onClose: () => void
}) {
  const [draft, setDraft] = useState(() => draftOf(target))
  const [check, setCheck] = useState<TargetCheck>()
  /** Of the kubeconfig as it was checked: there is a choice of contexts. */
  const [checked, setChecked] = useState<TargetCheck>()
  const fileInput = useRef<HTMLInputElement>(null)
  const set = (change: Partial<Draft>) => {
    const other = change.kubeconfig !== undefined
    setDraft({ ...draft, ...change, ...(other && { context: '' }) })
    setCheck(undefined)
    if (other) setChecked(undefined)
  }
  const nameProblem = targetNameProblem(draft.name)
  const { kubeconfig } = draft
  const given = kubeconfig.trim() !== ''
  const valid = draft.name !== '' && nameProblem === undefined && (given || target !== undefined)
  const tryOut = useAction(async () => {
    save.clear()
    const found = await api.tryTarget({ kubeconfig, ...settingsOf(draft) })
    setCheck(found)
    setChecked(found)
  })
  const save = useAction(async () => {
    const settings = settingsOf(draft)
    if (target) await api.replaceTarget(target.name, { ...(given && { kubeconfig }), ...settings })
    else await api.createTarget({ name: draft.name, kubeconfig, ...settings })
    onSaved()
    onClose()
  })
  const text = (field: keyof Draft, placeholder = '') => ({
    className: inputClass,
    autoComplete: 'off',
    spellCheck: false,
    placeholder,
    value: draft[field],
    onChange: (event: { target: { value: string } }) => set({ [field]: event.target.value }),
  })
  return (
    <Dialog title={target ? `Change ${target.name}` : 'Add a target'} wide onClose={onClose}>
      <form
        className="flex flex-col gap-3"
        data-testid="target-form"
        onSubmit={(event) => {
          event.preventDefault()
          if (valid) void save.run()
        }}
      >
        <p className="text-sm text-muted">
          A target is a Kubernetes cluster with Knative Serving. Tasks in the cloud then run there as
          functions. What it needs is in docs/knative.md.
        </p>
        {!target && (
          <Field label="Name" error={nameProblem} hint="As in staging or production.">
            {(control) => <input {...control} {...text('name', 'staging')} autoFocus />}
          </Field>
        )}
        <Field
          label="Kubeconfig"
          hint={
            target
              ? 'Leave it empty to keep the one that the service has.'
              : 'Paste the file, with the credentials of an account for HiveMind (infra/knative/account.yaml). Only the chosen context is kept, encrypted, and is never shown again.'
          }
        >
          {(control) => (
            <textarea
              {...control}
              {...text('kubeconfig')}
              className={`${inputClass} h-32! py-1 font-mono text-xs!`}
              placeholder={'apiVersion: v1\nkind: Config\nclusters:\n  …'}
            />
          )}
        </Field>
        <input
          ref={fileInput}
          type="file"
          className="sr-only"
          tabIndex={-1}
          aria-label="File of the kubeconfig"
          onChange={(event) => {
            const file = event.target.files?.[0]
            event.target.value = ''
            if (file) void file.text().then((content) => set({ kubeconfig: content }))
          }}
        />
        <div className="flex flex-wrap gap-2">
          <Button onClick={() => fileInput.current?.click()}>
            <FileUp className="size-4" aria-hidden="true" />
            Choose a file
          </Button>
          <Button
            data-testid="target-check"
            busy={tryOut.busy}
            disabled={!given}
            onClick={() => void tryOut.run()}
          >
            Check
          </Button>
        </div>
        {checked && checked.contexts.length > 1 && (
          <Field label="Context">
            {(control) => (
              <select {...control} {...text('context')} value={draft.context || checked.context}>
                {checked.contexts.map((context) => (
                  <option key={context}>{context}</option>
                ))}
              </select>
            )}
          </Field>
        )}
        <div className="grid gap-3 sm:grid-cols-2">
          <Field label="Namespace" hint="That of the context when empty.">
            {(control) => <input {...control} {...text('namespace', checked?.namespace ?? 'default')} />}
          </Field>
          <Field label="Ingress" hint="URL of Knative's ingress, where its names do not lead to it.">
            {(control) => <input {...control} {...text('ingress', 'http://10.0.0.7:31080')} />}
          </Field>
          <Field label="Image for Node.js" hint="Those of the service's settings when empty.">
            {(control) => <input {...control} {...text('node')} />}
          </Field>
          <Field label="Image for Python">{(control) => <input {...control} {...text('python')} />}</Field>
        </div>
        {check && <CheckResult check={check} />}
        <ProblemNote problem={tryOut.problem ?? save.problem} />
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" busy={save.busy} disabled={!valid}>
            {target ? 'Save' : 'Add'}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
