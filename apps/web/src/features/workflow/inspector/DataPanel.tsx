import type { DataFields as Description } from '@hivemind/dsl'
import { type DataItem, parseQuantity, type Workflow } from '@hivemind/workflow'
import { Button } from '../../../ui/Button.tsx'
import { isName } from '../model/names.ts'
import { revealTask, useSession } from '../session.ts'
import { Section, SelectField, TextField } from './controls.tsx'

const types = [
  'application/json',
  'application/cbor',
  'application/octet-stream',
  'image/jpeg',
  'image/png',
  'image/x-portable-graymap',
  'text/plain',
]

export function DataPanel({ item, workflow }: { item: DataItem; workflow: Workflow }) {
  return (
    <Section title="Data">
      <DataFields item={item} workflow={workflow} />
    </Section>
  )
}

/** Fields of a data item. Filling one adds a `Data` statement when there is none. */
export function DataFields({ item, workflow }: { item: DataItem; workflow: Workflow }) {
  const session = useSession()
  const { actions } = session.document
  const { name } = item
  const writers = workflow.tasks.filter((task) => task.dataOut === name)
  const readers = workflow.tasks.filter((task) => task.dataIn.includes(name))
  const taken = new Set([...workflow.tasks, ...workflow.data].map((one) => one.name))
  const set = (fields: Description | null): void => {
    actions.edit(
      { kind: 'setData', data: name, fields },
      { label: fields ? `Describe ${name}` : `Do not describe ${name}` },
    )
  }
  /** Rewrites the statement without an emptied field. */
  const clear = (field: keyof Description): void => {
    const fields: Description = {
      ...(item.kind ? { kind: item.kind } : {}),
      ...(item.type ? { type: item.type } : {}),
      ...(item.size ? { size: item.size.text } : {}),
      ...(item.rate ? { rate: item.rate.text } : {}),
      ...(item.stays ? { stays: item.stays } : {}),
    }
    delete fields[field]
    actions.edit(
      {
        kind: 'batch',
        edits: [
          { kind: 'setData', data: name, fields: null },
          ...(Object.keys(fields).length ? [{ kind: 'setData' as const, data: name, fields }] : []),
        ],
      },
      { label: `Describe ${name}` },
    )
  }
  const put = (field: 'type' | 'size' | 'rate', text: string): void =>
    text === '' ? clear(field) : set({ [field]: text })

  return (
    <>
      <div className="grid grid-cols-2 gap-2.5">
        <TextField
          label="Name"
          value={name}
          fault={(next) =>
            !isName(next)
              ? 'A name is letters, digits and _, and does not begin with a digit.'
              : taken.has(next)
                ? `The name '${next}' is taken.`
                : undefined
          }
          onCommit={(to) =>
            actions.edit(
              { kind: 'renameData', data: name, to },
              { label: `Rename ${name} to ${to}`, select: { tasks: [], edges: [], data: to } },
            )
          }
        />
        <SelectField
          label="Kind"
          value={item.kind ?? ''}
          options={[
            ['', 'As its task writes it'],
            ['object', 'Object: one value'],
            ['stream', 'Stream: many items'],
          ]}
          onChange={(kind) => (kind === '' ? clear('kind') : set({ kind: kind as 'object' | 'stream' }))}
        />
        <TextField
          label="Type"
          className="col-span-2"
          value={item.type ?? ''}
          placeholder="image/jpeg"
          suggestions={types}
          fault={(text) =>
            text === '' || /^[\w.+-]+\/[\w.+-]+$/.test(text) ? undefined : 'A media type such as image/jpeg.'
          }
          onCommit={(text) => put('type', text)}
        />
        <TextField
          label="Size"
          value={item.size?.text ?? ''}
          placeholder="2MB"
          fault={(text) =>
            text === '' || parseQuantity(text, ['size'])
              ? undefined
              : 'A size with its unit, such as 80B, 2MB, 1GiB.'
          }
          onCommit={(text) => put('size', text)}
        />
        <TextField
          label="Rate"
          value={item.rate?.text ?? ''}
          placeholder="8/s"
          fault={(text) =>
            text === '' || parseQuantity(text, ['rate'])
              ? undefined
              : 'A rate with its unit: /s, /min, /h or Hz.'
          }
          onCommit={(text) => put('rate', text)}
        />
        <SelectField
          label="May leave the device"
          value={item.stays ?? ''}
          options={[
            ['', 'Yes'],
            ['device', 'No: it stays on the device'],
          ]}
          onChange={(stays) => (stays === '' ? clear('stays') : set({ stays: 'device' }))}
        />
      </div>
      <p className="text-[13px]">
        <span className="text-muted">Written by </span>
        {writers.length ? (
          <TaskLinks tasks={writers.map((task) => task.name)} />
        ) : (
          'nobody: it is an input of the run'
        )}
        <span className="text-muted">, read by </span>
        {readers.length ? (
          <TaskLinks tasks={readers.map((task) => task.name)} />
        ) : (
          'nobody: it is a result of the run'
        )}
      </p>
      {item.declared && (
        <div>
          <Button onClick={() => set(null)}>Remove the description</Button>
        </div>
      )}
    </>
  )
}

function TaskLinks({ tasks }: { tasks: string[] }) {
  const session = useSession()
  return tasks.map((name, index) => (
    <span key={name}>
      {index > 0 && ', '}
      <button
        type="button"
        className="font-medium text-accent-strong hover:underline"
        onClick={() => revealTask(session, name)}
      >
        {name}
      </button>
    </span>
  ))
}
