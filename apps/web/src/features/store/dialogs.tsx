import { type ReactNode, useState } from 'react'
import { api } from '../../api/client.ts'
import type { StoreObject } from '../../api/types.ts'
import { useAction } from '../../api/useLoad.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { ProblemNote } from '../../ui/feedback.tsx'
import { Field, inputClass, NumberField, wholeNumber } from '../../ui/fields.tsx'
import { mediaType, pathProblem } from './objects.ts'

const MAX_VERSIONS = 1_000_000
const PERSISTENCES = {
  persistent: 'On disk before a write is acknowledged',
  buffered: 'In a file: gone when the machine restarts',
  volatile: 'In memory: gone when the service ends',
  transient: 'Announced to watchers and not kept',
} as const
type Persistence = keyof typeof PERSISTENCES

/** Creates a pool. */
export function CreatePoolDialog({
  onCreated,
  onClose,
}: {
  onCreated: (path: string) => void
  onClose: () => void
}) {
  const [path, setPath] = useState('')
  const [persistence, setPersistence] = useState<Persistence>('persistent')
  const [versions, setVersions] = useState('')
  const problem = pathProblem(path)
  const kept = versions.trim() === '' ? undefined : wholeNumber(versions, 1, MAX_VERSIONS)
  const valid = path !== '' && problem === undefined && (versions.trim() === '' || kept !== undefined)
  const create = useAction(async () => {
    await api.createStorePool({
      path,
      persistence,
      ...(kept !== undefined && { retention: { versions: kept } }),
    })
    onCreated(path)
  })
  return (
    <Dialog title="Create a pool" onClose={onClose}>
      <form
        className="flex flex-col gap-3"
        data-testid="create-pool-form"
        onSubmit={(event) => {
          event.preventDefault()
          if (valid) void create.run()
        }}
      >
        <Field
          label="Path"
          error={problem}
          hint="Keys of its objects begin with it. No pool lies inside another."
        >
          {(control) => (
            <input
              {...control}
              className={inputClass}
              autoFocus
              placeholder="/factory/images"
              value={path}
              onChange={(event) => setPath(event.target.value)}
            />
          )}
        </Field>
        <Field label="Persistence" hint={PERSISTENCES[persistence]}>
          {(control) => (
            <select
              {...control}
              className={inputClass}
              value={persistence}
              onChange={(event) => setPersistence(event.target.value as Persistence)}
            >
              {Object.keys(PERSISTENCES).map((kind) => (
                <option key={kind}>{kind}</option>
              ))}
            </select>
          )}
        </Field>
        <NumberField
          label="Versions to keep of each object"
          value={versions}
          onChange={setVersions}
          placeholder={persistence === 'volatile' ? '1' : 'all'}
          min={1}
          max={MAX_VERSIONS}
        />
        <ProblemNote problem={create.problem} />
        <Buttons onClose={onClose}>
          <Button type="submit" look="primary" busy={create.busy} disabled={!valid}>
            Create
          </Button>
        </Buttons>
      </form>
    </Dialog>
  )
}

/** Puts a file or a text as an object: a new one, or a new version of the one that is given. */
export function PutDialog({
  pool,
  over,
  onPut,
  onClose,
}: {
  pool: string
  over: StoreObject | undefined
  onPut: (object: StoreObject) => void
  onClose: () => void
}) {
  const [key, setKey] = useState(over?.key ?? `${pool}/`)
  const [file, setFile] = useState<File>()
  const [text, setText] = useState('')
  const [type, setType] = useState('')
  const inPool = key.startsWith(`${pool}/`)
  const problem = inPool ? pathProblem(key === `${pool}/` ? '' : key) : `It must begin with ${pool}/.`
  const valid = inPool && key !== `${pool}/` && problem === undefined
  const defaultType = file ? mediaType(file.name, file.type) : 'text/plain'
  const put = useAction(async () => {
    // The version in view: what somebody else has written meanwhile is not overwritten unseen.
    const expectedVersion = over === undefined ? 0 : over.removed ? 0 : over.version
    onPut(
      await api.putStoreObject(
        { key, type: type.trim() || defaultType, expectedVersion },
        file ?? new Blob([text]),
      ),
    )
  })
  return (
    <Dialog title={over ? 'Put a new version' : 'Put an object'} onClose={onClose}>
      <form
        className="flex flex-col gap-3"
        data-testid="put-form"
        onSubmit={(event) => {
          event.preventDefault()
          if (valid) void put.run()
        }}
      >
        <Field label="Key" error={problem}>
          {(control) => (
            <input
              {...control}
              className={`${inputClass} font-mono`}
              autoFocus={!over}
              readOnly={over !== undefined}
              value={key}
              onChange={(event) => setKey(event.target.value)}
            />
          )}
        </Field>
        <Field label="File" hint="Or write a text below.">
          {(control) => (
            <input
              {...control}
              type="file"
              className="text-sm file:mr-3 file:h-8 file:rounded-md file:border file:border-solid file:border-line-strong file:bg-surface file:px-3 file:text-sm file:font-medium file:text-ink"
              onChange={(event) => setFile(event.target.files?.[0])}
            />
          )}
        </Field>
        {!file && (
          <Field label="Text">
            {(control) => (
              <textarea
                {...control}
                className={`${inputClass} h-28! py-1 font-mono`}
                autoFocus={over !== undefined}
                value={text}
                onChange={(event) => setText(event.target.value)}
              />
            )}
          </Field>
        )}
        <Field label="Media type">
          {(control) => (
            <input
              {...control}
              className={inputClass}
              placeholder={defaultType}
              value={type}
              onChange={(event) => setType(event.target.value)}
            />
          )}
        </Field>
        <ProblemNote problem={put.problem} />
        <Buttons onClose={onClose}>
          <Button type="submit" look="primary" busy={put.busy} disabled={!valid}>
            Put
          </Button>
        </Buttons>
      </form>
    </Dialog>
  )
}

/** Asks before something is removed. */
export function RemoveDialog({
  title,
  children,
  remove,
  onClose,
}: {
  title: string
  children: ReactNode
  remove: () => Promise<unknown>
  onClose: () => void
}) {
  const action = useAction(async () => {
    await remove()
    onClose()
  })
  return (
    <Dialog title={title} onClose={onClose}>
      <div className="flex flex-col gap-3 text-sm">
        {children}
        <ProblemNote problem={action.problem} />
        <Buttons onClose={onClose}>
          <Button look="danger" busy={action.busy} onClick={() => void action.run()}>
            Remove
          </Button>
        </Buttons>
      </div>
    </Dialog>
  )
}

function Buttons({ onClose, children }: { onClose: () => void; children: ReactNode }) {
  return (
    <div className="flex justify-end gap-2">
      <Button onClick={onClose}>Cancel</Button>
      {children}
    </div>
  )
}
