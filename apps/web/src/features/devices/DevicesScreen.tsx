import { Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { api } from '../../api/client.ts'
import type { Device } from '../../api/types.ts'
import { useAction, useEvery, useLoad } from '../../api/useLoad.ts'
import { Breadcrumb } from '../../shell/Breadcrumb.tsx'
import { SchemeButton } from '../../shell/SchemeButton.tsx'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { Badge, Nothing, ProblemNote, Waiting } from '../../ui/feedback.tsx'
import { Panel, Scroll } from '../../ui/Panel.tsx'
import { useFirst } from '../../ui/useFirst.tsx'
import { usePageVisible } from '../../ui/usePageVisible.ts'
import { Term } from '../../words/Term.tsx'
import * as format from '../reports/format.ts'
import { batteryShare, isOtherVersion, sortedDevices } from './devices.ts'
import { EnrolDialog } from './EnrolDialog.tsx'

const REFRESH_MS = 5_000
const INITIAL_ROWS = 200

const stateTone = { enrolled: 'muted', online: 'ok', gone: 'danger' } as const satisfies Record<
  Device['state'],
  string
>

/** Every device that was enrolled or has called in, refreshed while the page is visible; enrolling and removing. */
export default function DevicesScreen() {
  const devices = useLoad((signal) => api.listDevices(signal), [])
  const health = useLoad((signal) => api.health(signal), [])
  const [dialog, setDialog] = useState<'enrol' | { remove: string }>()
  const close = () => setDialog(undefined)
  useEvery(REFRESH_MS, usePageVisible(), devices.reload)
  return (
    <div className="flex h-full flex-col print:block print:h-auto">
      <header className="flex h-12 shrink-0 items-center justify-between gap-3 border-b border-line bg-surface px-3">
        <Breadcrumb>
          <span>Devices</span>
        </Breadcrumb>
        <SchemeButton />
      </header>
      <main className="min-h-0 flex-1 overflow-y-auto p-4">
        <h1 className="sr-only">Devices</h1>
        <div className="mx-auto flex max-w-5xl flex-col gap-4">
          <ProblemNote problem={devices.problem} retry={devices.reload} />
          {!devices.data && devices.loading && <Waiting what="Loading the devices" />}
          {devices.data && (
            <Panel
              title="Devices"
              testId="devices"
              actions={
                <Button data-testid="enrol-device" onClick={() => setDialog('enrol')}>
                  <Plus className="size-4" aria-hidden="true" />
                  Enrol a device
                </Button>
              }
            >
              {devices.data.length === 0 ? (
                <NoDevices />
              ) : (
                <DeviceTable
                  devices={devices.data}
                  version={health.data?.version}
                  onRemove={(remove) => setDialog({ remove })}
                />
              )}
            </Panel>
          )}
        </div>
        {dialog === 'enrol' && <EnrolDialog onEnrolled={devices.reload} onClose={close} />}
        {typeof dialog === 'object' && (
          <RemoveDialog device={dialog.remove} onRemoved={devices.reload} onClose={close} />
        )}
      </main>
    </div>
  )
}

function NoDevices() {
  return (
    <Nothing title="No device yet">
      <p className="mb-2">
        A device joins when its agent connects to the service. Enrol a device of another machine, or deploy a
        workflow with tasks on the edge: a deployment starts agents of its own on this machine.
      </p>
      <p>The file docs/devices.md explains agents and brokers.</p>
    </Nothing>
  )
}

function RemoveDialog({
  device,
  onRemoved,
  onClose,
}: {
  device: string
  onRemoved: () => void
  onClose: () => void
}) {
  const remove = useAction(async () => {
    await api.removeDevice(device)
    onRemoved()
    onClose()
  })
  return (
    <Dialog title={`Remove ${device}?`} onClose={onClose}>
      <div className="flex flex-col gap-3 text-sm">
        <p>
          Its connection ends at once, and its credential is refused from now on. A deployment that uses it
          loses it. To come back it must be enrolled again.
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

function DeviceTable({
  devices,
  version,
  onRemove,
}: {
  devices: readonly Device[]
  /** The version of the service, once it is known. */
  version: string | undefined
  onRemove: (device: string) => void
}) {
  const { first, more } = useFirst(sortedDevices(devices), INITIAL_ROWS)
  const online = devices.filter(({ state }) => state === 'online').length
  const now = Date.now()
  const head = 'py-1 pr-3 font-medium'
  const number = 'py-1 pr-3 text-right tabular-nums whitespace-nowrap'
  return (
    <>
      <p className="text-sm text-muted">
        {format.count(devices.length, 'device')}, {format.whole(online)} online
      </p>
      <Scroll label="Devices" className="overflow-x-auto">
        <table className="w-full border-collapse text-[13px]">
          <thead className="text-left text-xs text-muted">
            <tr>
              <th scope="col" className={head}>
                Device
              </th>
              <th scope="col" className={head}>
                Class
              </th>
              <th scope="col" className={head}>
                State
              </th>
              <th scope="col" className={head}>
                <Term of="agent">Agent</Term> version
              </th>
              <th scope="col" className={`${head} text-right`}>
                Cores
              </th>
              <th scope="col" className={`${head} text-right`}>
                Memory
              </th>
              <th scope="col" className={`${head} text-right`}>
                Battery
              </th>
              <th scope="col" className={`${head} text-right`}>
                Last seen
              </th>
              <th scope="col">
                <span className="sr-only">Remove</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {first.map((device) => {
              const battery = batteryShare(device)
              return (
                <tr key={device.id} className="border-t border-line align-top">
                  <th scope="row" className="py-1 pr-3 text-left font-normal break-all">
                    {device.id}
                  </th>
                  <td className="py-1 pr-3 break-all">
                    {device.class === '*' ? 'any' : device.class || '–'}
                  </td>
                  <td className="py-1 pr-3">
                    <Badge tone={stateTone[device.state]}>{device.state}</Badge>
                  </td>
                  <td className="py-1 pr-3">
                    {device.version || '–'}{' '}
                    {isOtherVersion(device, version) && (
                      <Badge
                        tone="warn"
                        title="Get the agent anew, and start it on the device in place of this one."
                      >
                        the service has {version}
                      </Badge>
                    )}
                  </td>
                  <td className={number}>{device.cores > 0 ? format.number(device.cores) : '–'}</td>
                  <td className={number}>
                    {device.memoryMB > 0 ? format.bytes(device.memoryMB * 1_000_000) : '–'}
                  </td>
                  <td className={number}>{battery === undefined ? '–' : format.share(battery)}</td>
                  <td className={number} title={device.seenAt && format.instant(device.seenAt)}>
                    {device.seenAt ? format.ago(device.seenAt, now) : '–'}
                  </td>
                  <td className="py-0.5 text-right">
                    {device.enrolled && (
                      <Button
                        className="h-7! px-2!"
                        aria-label={`Remove ${device.id}`}
                        onClick={() => onRemove(device.id)}
                      >
                        <Trash2 className="size-3.5" aria-hidden="true" />
                      </Button>
                    )}
                  </td>
                </tr>
              )
            })}
          </tbody>
        </table>
      </Scroll>
      {more}
    </>
  )
}
