import { Download } from 'lucide-react'
import { useState } from 'react'
import { agentUrl, api } from '../../api/client.ts'
import type { DeviceCredential } from '../../api/types.ts'
import { useAction, useLoad } from '../../api/useLoad.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { ProblemNote } from '../../ui/feedback.tsx'
import { Field, inputClass } from '../../ui/fields.tsx'
import { download } from '../reports/download.ts'
import { deviceIdProblem } from './devices.ts'

/** Enrols a device of another machine, and shows its credential this once. */
export function EnrolDialog({ onEnrolled, onClose }: { onEnrolled: () => void; onClose: () => void }) {
  const [id, setId] = useState('')
  const [of, setClass] = useState('drone')
  const [credential, setCredential] = useState<DeviceCredential>()
  const address = useLoad((signal) => api.dialIn(signal), [])
  const problem = deviceIdProblem(id)
  const valid = id !== '' && problem === undefined && of.trim() !== ''
  const enrol = useAction(async () => {
    setCredential(await api.enrolDevice({ id, class: of.trim() }))
    onEnrolled()
  })
  if (credential)
    return (
      <Dialog title={`Start the agent of ${credential.device}`} onClose={onClose}>
        <CredentialSteps credential={credential} onClose={onClose} />
      </Dialog>
    )
  return (
    <Dialog title="Enrol a device" onClose={onClose}>
      <form
        className="flex flex-col gap-3"
        data-testid="enrol"
        onSubmit={(event) => {
          event.preventDefault()
          if (valid) void enrol.run()
        }}
      >
        <p className="text-sm text-muted">
          A device of another machine gets a credential of its own. Its agent dials in with it, so the device
          needs no open port.
        </p>
        <Field label="Device" error={problem} hint="The name that tasks are pinned to and runs show.">
          {(control) => (
            <input
              {...control}
              className={inputClass}
              autoFocus
              placeholder="drone-7"
              value={id}
              onChange={(event) => setId(event.target.value)}
            />
          )}
        </Field>
        <Field label="Class" hint="As in Place(task, 'Edge:drone'), and as the fleet's classes are named.">
          {(control) => (
            <input
              {...control}
              className={inputClass}
              value={of}
              onChange={(event) => setClass(event.target.value)}
            />
          )}
        </Field>
        {address.data && address.data.onlyHere.length > 0 && (
          <p className="rounded-md bg-warn-soft p-2 text-sm" data-testid="only-here">
            Only agents on this machine reach{' '}
            <span className="font-mono text-xs break-all">{address.data.onlyHere.join(' and ')}</span>, which
            devices need. For those of other machines, start the service with HIVEMIND_DEVICES_HOST, the name
            or address by which they reach it; a device that is enrolled before has to be enrolled again then.
          </p>
        )}
        <ProblemNote problem={enrol.problem} />
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" busy={enrol.busy} disabled={!valid}>
            Enrol
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

function CredentialSteps({ credential, onClose }: { credential: DeviceCredential; onClose: () => void }) {
  const file = `${credential.device}.json`
  const [saved, setSaved] = useState(false)
  return (
    <div className="flex flex-col gap-3 text-sm" data-testid="credential">
      <ol className="flex list-decimal flex-col gap-2 pl-5">
        <li>
          Download the credential and copy it to the device. It is shown this once; the service keeps only a
          hash of it.
        </li>
        <li>
          Download{' '}
          <a className="text-accent-strong underline" href={agentUrl} download>
            the agent
          </a>{' '}
          and copy it to the device too. It needs Node.js 24.5 or newer there.
        </li>
        <li>
          On the device, start it:
          <pre className="mt-1 overflow-x-auto rounded-md bg-sunken p-2 font-mono text-xs">
            {`tar xzf hivemind-agent.tar.gz\nhivemind-agent/start --config ${file}`}
          </pre>
        </li>
      </ol>
      <p className="text-muted">
        It dials in at <span className="font-mono text-xs break-all">{credential.broker}</span>.
      </p>
      <div className="flex justify-end gap-2">
        <Button
          look={saved ? 'plain' : 'primary'}
          onClick={() => {
            download(file, 'application/json', `${JSON.stringify(credential, null, 2)}\n`)
            setSaved(true)
          }}
        >
          <Download className="size-4" aria-hidden="true" />
          Download {file}
        </Button>
        <Button look={saved ? 'primary' : 'plain'} onClick={onClose}>
          Done
        </Button>
      </div>
    </div>
  )
}
