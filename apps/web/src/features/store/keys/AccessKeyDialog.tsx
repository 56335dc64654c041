import { Copy, Plus, X } from 'lucide-react'
import { useState } from 'react'
import { api } from '../../../api/client.ts'
import type { AccessKey, Grant } from '../../../api/types.ts'
import { useAction } from '../../../api/useLoad.ts'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { ProblemNote } from '../../../ui/feedback.tsx'
import { Field, InlineSelect, inputClass } from '../../../ui/fields.tsx'
import { pathProblem } from '../objects.ts'
import {
  ACCESS_WORDS,
  expiryOf,
  grantsComplete,
  LIFETIMES,
  type Lifetime,
  nameProblem,
} from './accessKeys.ts'

const MAX_GRANTS = 50
const accesses = (['read', 'read-write'] as const).map((value) => ({ value, label: ACCESS_WORDS[value] }))

/** Makes an access key, and shows its secret this once. */
export function AccessKeyDialog({
  keys,
  onMade,
  onClose,
}: {
  keys: readonly AccessKey[]
  onMade: () => void
  onClose: () => void
}) {
  const [name, setName] = useState('')
  const [grants, setGrants] = useState<readonly Grant[]>([{ prefix: '', access: 'read' }])
  const [lifetime, setLifetime] = useState<Lifetime>('never')
  const [made, setMade] = useState<{ name: string; secret: string }>()
  const problem = nameProblem(name, keys)
  const valid = name !== '' && problem === undefined && grantsComplete(grants)
  const make = useAction(async () => {
    const expiresAt = expiryOf(lifetime, Date.now())
    setMade(await api.createAccessKey({ name, grants: [...grants], ...(expiresAt && { expiresAt }) }))
    onMade()
  })
  if (made)
    return (
      <Dialog title={`The access key ${made.name}`} onClose={onClose}>
        <Secret secret={made.secret} onClose={onClose} />
      </Dialog>
    )
  return (
    <Dialog title="Make an access key" onClose={onClose}>
      <form
        className="flex flex-col gap-3"
        data-testid="access-key-form"
        onSubmit={(event) => {
          event.preventDefault()
          if (valid) void make.run()
        }}
      >
        <p className="text-sm text-muted">
          A program with the key may use what is under these prefixes of the store, and nothing else of the
          service.
        </p>
        <Field label="Name" error={problem} hint="Of the program or device that gets it.">
          {(control) => (
            <input
              {...control}
              className={inputClass}
              autoFocus
              autoComplete="off"
              placeholder="camera-7"
              value={name}
              onChange={(event) => setName(event.target.value)}
            />
          )}
        </Field>
        <Grants grants={grants} onChange={setGrants} />
        <InlineSelect
          label="It expires"
          value={lifetime}
          options={Object.entries(LIFETIMES).map(([value, { label }]) => ({
            value: value as Lifetime,
            label,
          }))}
          onChange={setLifetime}
        />
        <ProblemNote problem={make.problem} />
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" busy={make.busy} disabled={!valid}>
            Make
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

function Grants({
  grants,
  onChange,
}: {
  grants: readonly Grant[]
  onChange: (grants: readonly Grant[]) => void
}) {
  const change = (at: number, more: Partial<Grant>) =>
    onChange(grants.map((grant, index) => (index === at ? { ...grant, ...more } : grant)))
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-1 text-xs text-muted">
        <span className="font-medium">What it may do:</span> a prefix is a pool or a path in one, in whole
        components.
      </legend>
      {grants.map(({ prefix, access }, at) => (
        <div key={at} className="flex items-start gap-2">
          <Field label={`Prefix ${at + 1}`} error={pathProblem(prefix)} className="flex-1">
            {(control) => (
              <input
                {...control}
                className={`${inputClass} font-mono`}
                autoComplete="off"
                placeholder="/factory/images"
                maxLength={1024}
                value={prefix}
                onChange={(event) => change(at, { prefix: event.target.value })}
              />
            )}
          </Field>
          <Field label="May" className="w-36">
            {(control) => (
              <select
                {...control}
                className={inputClass}
                value={access}
                onChange={(event) => change(at, { access: event.target.value as Grant['access'] })}
              >
                {accesses.map(({ value, label }) => (
                  <option key={value} value={value}>
                    {label}
                  </option>
                ))}
              </select>
            )}
          </Field>
          <Button
            className="mt-5 px-2!"
            aria-label={`Leave out prefix ${at + 1}`}
            disabled={grants.length === 1}
            onClick={() => onChange(grants.toSpliced(at, 1))}
          >
            <X className="size-4" aria-hidden="true" />
          </Button>
        </div>
      ))}
      <Button
        className="self-start"
        disabled={grants.length >= MAX_GRANTS}
        onClick={() => onChange([...grants, { prefix: '', access: 'read' }])}
      >
        <Plus className="size-4" aria-hidden="true" />
        Another prefix
      </Button>
    </fieldset>
  )
}

function Secret({ secret, onClose }: { secret: string; onClose: () => void }) {
  const [copied, setCopied] = useState(false)
  return (
    <div className="flex flex-col gap-3 text-sm" data-testid="access-key-secret">
      <p>
        Copy it now: it is shown this once, and the service keeps only a hash of it. Programs send it as{' '}
        <code className="font-mono text-xs">Authorization: Bearer KEY</code>, or as the password to the store
        as files.
      </p>
      <Field label="Key">
        {(control) => (
          <input
            {...control}
            className={`${inputClass} font-mono`}
            readOnly
            value={secret}
            onFocus={(event) => event.target.select()}
          />
        )}
      </Field>
      <p className="text-muted">
        <code className="font-mono text-xs">hivemind store</code> and the Python client read it from{' '}
        <code className="font-mono text-xs">HIVEMIND_STORE_KEY</code>.
      </p>
      <div className="flex justify-end gap-2">
        {/* Browsers have no clipboard for pages that come without TLS from another machine. */}
        {window.isSecureContext && (
          <Button
            look={copied ? 'plain' : 'primary'}
            onClick={() => void navigator.clipboard.writeText(secret).then(() => setCopied(true))}
          >
            <Copy className="size-4" aria-hidden="true" />
            {copied ? 'Copied' : 'Copy'}
          </Button>
        )}
        <Button look={copied ? 'primary' : 'plain'} onClick={onClose}>
          Done
        </Button>
      </div>
    </div>
  )
}
