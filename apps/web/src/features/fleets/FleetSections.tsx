import type { Fleet, HandOverKind } from '@hivemind/swarm'
import { Plus, Trash2 } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '../../ui/Button.tsx'
import { Field, inputClass } from '../../ui/fields.tsx'
import { Panel } from '../../ui/Panel.tsx'
import { newClass, newEdgeNodes } from './draft.ts'
import { RecordFields, useFleetForm } from './FleetFields.tsx'

const grid = 'grid grid-cols-[repeat(auto-fill,minmax(min(13rem,100%),1fr))] items-start gap-3'
const KINDS: readonly HandOverKind[] = ['store', 'direct', 'co-placed', 'remote-memory']

function Group({ title, actions, children }: { title: string; actions?: ReactNode; children: ReactNode }) {
  return (
    <fieldset className="min-w-0 rounded-md border border-line p-3">
      <legend className="px-1 text-xs font-semibold">{title}</legend>
      <div className={grid}>{children}</div>
      {actions && <div className="mt-2 flex justify-end">{actions}</div>}
    </fieldset>
  )
}

/** Every section of the form of a fleet: description, classes, link, edge nodes, cloud, fabric, one computer. */
export function FleetSections({ fleet }: { fleet: Fleet }) {
  const { set, fault } = useFleetForm()
  const names = fleet.devices.map((group) => group.class.name)
  const add = () => set(`devices.${fleet.devices.length}`, { class: newClass(names), count: 1 })
  return (
    <>
      <Field label="Description of the fleet" error={fault('label')}>
        {(control) => (
          <input
            {...control}
            className={inputClass}
            autoComplete="off"
            value={fleet.label}
            onChange={(event) => set('label', event.target.value)}
          />
        )}
      </Field>
      {fault('devices') && (
        <p role="alert" className="text-sm text-danger">
          Devices: {fault('devices')}
        </p>
      )}
      {fleet.devices.map((group, index) => (
        <ClassPanel
          key={index}
          index={index}
          title={`${group.count} × ${group.class.label || group.class.name}`}
          canRemove={fleet.devices.length > 1}
        />
      ))}
      <Button className="self-start" data-testid="add-class" onClick={add}>
        <Plus className="size-4" aria-hidden="true" />
        Add a device class
      </Button>
      <LinkPanel hasCalls={fleet.uplink.rpc !== undefined} />
      <EdgeNodesPanel edgeNodes={fleet.edgeNodes} />
      <CloudPanel cloud={fleet.cloud} />
      <FabricPanel fabric={fleet.fabric} />
      <HostPanel host={fleet.host} />
    </>
  )
}

function ClassPanel({ index, title, canRemove }: { index: number; title: string; canRemove: boolean }) {
  const { set } = useFleetForm()
  return (
    <Panel
      title={title}
      testId={`class-${index}`}
      actions={
        canRemove && (
          <Button
            aria-label={`Remove ${title}`}
            className="h-7! px-2!"
            onClick={() => set(`devices.${index}`, undefined)}
          >
            <Trash2 className="size-4" aria-hidden="true" />
          </Button>
        )
      }
    >
      <div className={grid}>
        <RecordFields path={`devices.${index}`} omit={['class']} />
        <RecordFields path={`devices.${index}.class`} omit={['sources']} />
      </div>
      <Sources path={`devices.${index}.class.sources`} />
    </Panel>
  )
}

function LinkPanel({ hasCalls }: { hasCalls: boolean }) {
  const { set } = useFleetForm()
  return (
    <Panel title="Link between devices and cloud" testId="uplink">
      <div className={grid}>
        <RecordFields path="uplink" omit={['sources', 'rpc']} />
      </div>
      <Toggle
        label="A call costs time at its ends, beside the link"
        on={hasCalls}
        onChange={(on) => set('uplink.rpc', on ? { fixedMs: 5, bandwidthMBps: 100 } : undefined)}
      />
      {hasCalls && (
        <Group title="Calls">
          <RecordFields path="uplink.rpc" />
        </Group>
      )}
      <Sources path="uplink.sources" />
    </Panel>
  )
}

function CloudPanel({ cloud }: { cloud: Fleet['cloud'] }) {
  const { set } = useFleetForm()
  const others = cloud.otherHandOvers ?? []
  const free = KINDS.find((kind) => !others.some((other) => other.kind === kind))
  const add = () =>
    set('cloud.otherHandOvers', [...others, { kind: free, fixedMs: 1, bandwidthMBps: 1000, sources: [] }])
  return (
    <Panel title="Cloud" testId="cloud">
      <div className={grid}>
        <RecordFields path="cloud" omit={['sources', 'handOver', 'otherHandOvers']} />
      </div>
      <Group title="How functions hand data over">
        <RecordFields path="cloud.handOver" />
      </Group>
      {others.map((_, index) => (
        <Group
          key={index}
          title={`Another way, which an exploration may choose (${index + 1})`}
          actions={
            <Button onClick={() => set(`cloud.otherHandOvers.${index}`, undefined)}>
              <Trash2 className="size-4" aria-hidden="true" />
              Remove this way
            </Button>
          }
        >
          <RecordFields path={`cloud.otherHandOvers.${index}`} omit={['sources']} />
        </Group>
      ))}
      {free && (
        <Button className="self-start" onClick={add}>
          <Plus className="size-4" aria-hidden="true" />
          Add another way
        </Button>
      )}
      <Sources path="cloud.sources" />
    </Panel>
  )
}

function EdgeNodesPanel({ edgeNodes }: { edgeNodes: Fleet['edgeNodes'] }) {
  const { set, fault } = useFleetForm()
  return (
    <Panel title="Edge nodes" testId="edge-nodes">
      <Toggle
        label="A few machines near the devices run tasks for them, such as gateways or a ground station"
        on={edgeNodes !== undefined}
        onChange={(on) => set('edgeNodes', on ? newEdgeNodes() : undefined)}
      />
      {fault('edgeNodes') && (
        <p role="alert" className="text-sm text-danger">
          Edge nodes: {fault('edgeNodes')}
        </p>
      )}
      {edgeNodes && (
        <>
          <div className={grid}>
            <RecordFields path="edgeNodes" omit={['sources', 'link', 'backhaul']} />
          </div>
          <Group title="Between a node and its devices">
            <RecordFields path="edgeNodes.link" />
          </Group>
          <Group title="Between a node and the cloud">
            <RecordFields path="edgeNodes.backhaul" />
          </Group>
          <Sources path="edgeNodes.sources" />
        </>
      )}
    </Panel>
  )
}

function FabricPanel({ fabric }: { fabric: Fleet['fabric'] }) {
  const { set } = useFleetForm()
  const first = { boards: 1, places: 64, clockMHz: 125, cyclesPerItem: 151, sources: [] }
  return (
    <Panel title="Fabric" testId="fleet-fabric">
      <Toggle
        label="Boards with network functions in hardware are on the way to the cloud"
        on={fabric !== undefined}
        onChange={(on) => set('fabric', on ? first : undefined)}
      />
      {fabric && (
        <>
          <div className={grid}>
            <RecordFields path="fabric" omit={['sources']} />
          </div>
          <Sources path="fabric.sources" />
        </>
      )}
    </Panel>
  )
}

function HostPanel({ host }: { host: Fleet['host'] }) {
  const { set } = useFleetForm()
  return (
    <Panel title="One computer" testId="host">
      <Toggle
        label="Devices and cloud are processes of one computer, whose cores they share"
        on={host !== undefined}
        onChange={(on) => set('host', on ? { cores: 4, sources: [] } : undefined)}
      />
      {host && (
        <div className={grid}>
          <RecordFields path="host" omit={['sources']} />
        </div>
      )}
    </Panel>
  )
}

function Toggle({ label, on, onChange }: { label: string; on: boolean; onChange: (on: boolean) => void }) {
  return (
    <label className="flex items-center gap-2 text-sm">
      <input type="checkbox" checked={on} onChange={(event) => onChange(event.target.checked)} />
      {label}
    </label>
  )
}

/** Where the figures are from, one statement a line, to be edited where a figure is. */
function Sources({ path }: { path: string }) {
  const { value, set, fault } = useFleetForm()
  const sources = (value(path) ?? []) as { what: string; from: string }[]
  return (
    <details className="text-sm">
      <summary className="cursor-pointer text-muted">Where the figures are from ({sources.length})</summary>
      <ul className="mt-2 flex flex-col gap-2">
        {sources.map((source, index) => (
          <li key={index} className="grid gap-2 sm:grid-cols-[minmax(0,1.5fr)_minmax(0,1fr)_auto]">
            {(['what', 'from'] as const).map((part) => (
              <Field
                key={part}
                label={part === 'what' ? 'What' : 'From'}
                error={fault(`${path}.${index}.${part}`)}
              >
                {(control) => (
                  <input
                    {...control}
                    className={inputClass}
                    autoComplete="off"
                    value={source[part]}
                    onChange={(event) => set(`${path}.${index}.${part}`, event.target.value)}
                  />
                )}
              </Field>
            ))}
            <Button
              className="self-end px-2!"
              aria-label={`Remove source ${index + 1}`}
              onClick={() => set(`${path}.${index}`, undefined)}
            >
              <Trash2 className="size-4" aria-hidden="true" />
            </Button>
          </li>
        ))}
      </ul>
      <Button className="mt-2" onClick={() => set(`${path}.${sources.length}`, { what: '', from: '' })}>
        <Plus className="size-4" aria-hidden="true" />
        Add a source
      </Button>
    </details>
  )
}
