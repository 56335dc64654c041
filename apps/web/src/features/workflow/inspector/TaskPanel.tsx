import { type Role, roleOf, type Task, type Workflow } from '@hivemind/workflow'
import { CircleAlert, Code, Plus, Trash2, TriangleAlert, Wrench, X } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../../ui/Button.tsx'
import { removeSelected } from '../commands.ts'
import { readArg, showArg } from '../model/args.ts'
import { entry } from '../model/layout.ts'
import { isName } from '../model/names.ts'
import { connectEdits, connectionRefusal, paletteItems } from '../model/palette.ts'
import { revealTask, useDocument, useSession, useView } from '../session.ts'
import { NameList, Section, SelectField, TextField } from './controls.tsx'
import { DirectiveFields } from './DirectiveFields.tsx'
import { GroupField } from './GroupField.tsx'
import { OpFields } from './OpFields.tsx'
import { RelationFields } from './RelationFields.tsx'

const roles: readonly (readonly [Role | '', string])[] = [
  ['', 'Automatic, by its data'],
  ['sensor', 'Sensor'],
  ['compute', 'Compute'],
  ['actuator', 'Actuator'],
]
const colours = ['#2f6fde', '#1c8a5f', '#b7791f', '#c2410c', '#a21caf', '#64748b']
const nfuCodes = paletteItems.flatMap(({ kind, make }) =>
  kind.startsWith('nfu-') ? [make('', new Set()).code] : [],
)

export function TaskPanel({ task, workflow }: { task: Task; workflow: Workflow }) {
  const session = useSession()
  const { actions } = session.document
  const { name } = task
  const files = useView((state) => state.files)
  const edit = (label: string, ...edits: Parameters<typeof actions.edit>[0][]): boolean =>
    actions.edit(edits.length === 1 && edits[0] ? edits[0] : { kind: 'batch', edits }, { label })

  const taskNames = workflow.tasks.map((other) => other.name)
  const dataNames = workflow.data.map((data) => data.name)
  const nameFault = (next: string): string | undefined => {
    if (!isName(next)) return 'A name is letters, digits and _, and does not begin with a digit.'
    if (taskNames.includes(next)) return `There is a task '${next}' already.`
    return dataNames.includes(next) ? `'${next}' is the name of data.` : undefined
  }
  const dataFault = (next: string): string | undefined =>
    next === '' || isName(next)
      ? undefined
      : 'A name is letters, digits and _, and does not begin with a digit.'
  const canLink = (from: string, to: string): boolean => connectionRefusal(workflow, from, to) === null
  const codePaths = files.map(({ path }) => path).filter((path) => /\.(m?js|py)$/.test(path))

  return (
    <>
      <Faults task={name} />
      <Section title="Task">
        <div className="grid grid-cols-2 gap-2.5">
          <TextField
            label="Name"
            value={name}
            fault={nameFault}
            testId="field-name"
            onCommit={(to) => {
              // A code file that does not exist yet is renamed with the task.
              const extension = /^tasks\/(.+)\.(m?js|py)$/.exec(task.code)
              const code =
                extension?.[1] === name && !codePaths.includes(task.code) && !isShared(workflow, task)
                  ? [{ kind: 'setCode' as const, task: to, code: `tasks/${to}.${extension[2]}` }]
                  : []
              actions.edit(
                { kind: 'batch', edits: [{ kind: 'renameTask', task: name, to }, ...code] },
                { label: `Rename ${name} to ${to}`, select: { tasks: [to], edges: [] } },
              )
            }}
          />
          <SelectField
            label="Role"
            value={typeof task.args.role === 'string' ? task.args.role : ''}
            options={roles.map(([value, label]) =>
              value === ''
                ? ([value, `${label} (${roleOf({ ...task, args: {} })})`] as const)
                : ([value, label] as const),
            )}
            onChange={(role) =>
              edit('Change the role', {
                kind: 'setArg',
                task: name,
                arg: 'role',
                value: role === '' ? null : role,
              })
            }
          />
        </div>
        <div className="flex items-end gap-2">
          <TextField
            label="Code"
            mono
            className="flex-1"
            value={task.code}
            suggestions={[...codePaths, ...nfuCodes]}
            fault={(next) => (next === '' ? 'A task needs code: a path or nfu:OP.' : undefined)}
            onCommit={(code) => edit('Change the code path', { kind: 'setCode', task: name, code })}
          />
          {!task.code.startsWith('nfu:') && (
            <Button
              data-testid="edit-code"
              onClick={() => session.view.setState({ dialog: { code: name } })}
              className="mb-0"
            >
              <Code className="size-4" aria-hidden="true" />
              Edit
            </Button>
          )}
        </div>
        <OpFields task={task} />
        <NameList
          label="Reads"
          names={task.dataIn}
          choices={dataNames.filter((data) => data !== task.dataOut)}
          none="No data"
          onOpen={(data) => actions.select({ tasks: [], edges: [], data })}
          onAdd={(data) =>
            edit(`Read ${data}`, { kind: 'setDataIn', task: name, dataIn: [...task.dataIn, data] })
          }
          onRemove={(data) =>
            edit(`Do not read ${data}`, {
              kind: 'setDataIn',
              task: name,
              dataIn: task.dataIn.filter((other) => other !== data),
            })
          }
        />
        <TextField
          label="Writes"
          value={task.dataOut ?? ''}
          placeholder="No data"
          fault={dataFault}
          suggestions={dataNames}
          testId="field-data-out"
          onCommit={(next) => {
            const old = task.dataOut
            const shared = old !== null && workflow.tasks.some((other) => other.dataIn.includes(old))
            if (shared && next !== '' && !dataNames.includes(next))
              edit(`Rename ${old} to ${next}`, { kind: 'renameData', data: old, to: next })
            else
              edit('Change the written data', {
                kind: 'setDataOut',
                task: name,
                dataOut: next === '' ? null : next,
              })
          }}
        />
        <NameList
          label="Parents"
          names={task.parents}
          choices={taskNames.filter((other) => canLink(other, name))}
          none="None: it starts the workflow"
          onOpen={(other) => revealTask(session, other)}
          onAdd={(other) => edit(`Connect ${other} to ${name}`, ...connectEdits(workflow, other, name))}
          onRemove={(other) => edit('Disconnect', { kind: 'disconnect', from: other, to: name, data: true })}
        />
        <NameList
          label="Children"
          names={task.children}
          choices={taskNames.filter((other) => canLink(name, other))}
          none="None: it ends the workflow"
          onOpen={(other) => revealTask(session, other)}
          onAdd={(other) => edit(`Connect ${name} to ${other}`, ...connectEdits(workflow, name, other))}
          onRemove={(other) => edit('Disconnect', { kind: 'disconnect', from: name, to: other, data: true })}
        />
      </Section>
      <Section title="Directives">
        <DirectiveFields task={task} />
      </Section>
      <Section title="Relations" open={workflow.relations.some(({ a, b }) => a === name || b === name)}>
        <RelationFields task={name} workflow={workflow} />
      </Section>
      <Section title="Arguments">
        <ArgumentFields task={task} />
      </Section>
      <Section title="On the canvas" open={false}>
        <CanvasFields task={name} />
      </Section>
      <div className="border-t border-line p-3">
        <Button look="danger" onClick={() => removeSelected(session)} data-testid="delete-task">
          <Trash2 className="size-4" aria-hidden="true" />
          Delete task
        </Button>
      </div>
    </>
  )
}

const isShared = (workflow: Workflow, task: Task): boolean =>
  workflow.tasks.some((other) => other !== task && other.code === task.code)

/** The task's diagnostics, each with its fixes. */
function Faults({ task }: { task: string }) {
  const { document } = useSession()
  const diagnostics = useDocument((state) => state.diagnostics)
  const own = diagnostics.filter((one) => one.task === task)
  if (own.length === 0) return null
  return (
    <ul className="flex flex-col gap-1.5 px-3 pt-2">
      {own.map((one) => {
        const Icon = one.severity === 'error' ? CircleAlert : TriangleAlert
        return (
          <li key={`${one.code} ${one.from} ${one.message}`} className="flex items-start gap-1.5 text-[13px]">
            <Icon
              className={`mt-0.5 size-3.5 shrink-0 ${one.severity === 'error' ? 'text-danger' : one.severity === 'warning' ? 'text-warn' : 'text-accent'}`}
              aria-label={one.severity}
            />
            <span className="min-w-0 flex-1">
              {one.message}{' '}
              {one.fixes.map((fix) => (
                <button
                  key={fix.title}
                  type="button"
                  onClick={() => document.actions.fix(one, fix)}
                  className="mr-2 inline-flex items-center gap-1 font-medium text-accent-strong hover:underline"
                >
                  <Wrench className="size-3" aria-hidden="true" />
                  {fix.title}
                </button>
              ))}
            </span>
          </li>
        )
      })}
    </ul>
  )
}

/** Keyword arguments that have their own fields. */
const ownFields = new Set(['role', 'sync', 'state'])

function ArgumentFields({ task }: { task: Task }) {
  const { document } = useSession()
  const [adding, setAdding] = useState({ name: '', value: '' })
  const args = Object.entries(task.args).filter(([name]) => !ownFields.has(name))
  const fault =
    adding.name === '' || isName(adding.name)
      ? Object.hasOwn(task.args, adding.name)
        ? `There is an argument '${adding.name}' already.`
        : undefined
      : 'A name is letters, digits and _, and does not begin with a digit.'
  const set = (arg: string, text: string | null): boolean => {
    const value = text === null ? null : readArg(text)
    return document.actions.edit(
      {
        kind: 'setArg',
        task: task.name,
        arg,
        value: text !== null && value === null ? { none: true } : value,
      },
      { label: text === null ? `Remove ${arg}` : `Set ${arg}` },
    )
  }
  const add = (): void => {
    if (adding.name === '' || fault) return
    if (set(adding.name, adding.value)) setAdding({ name: '', value: '' })
  }
  return (
    <>
      {args.map(([arg, value]) => (
        <div key={arg} className="flex items-end gap-1">
          <TextField
            label={arg}
            mono
            className="flex-1"
            value={showArg(value)}
            onCommit={(text) => set(arg, text)}
          />
          <button
            type="button"
            aria-label={`Remove the argument ${arg}`}
            onClick={() => set(arg, null)}
            className="mb-1 rounded p-1 text-muted hover:text-danger"
          >
            <X className="size-4" aria-hidden="true" />
          </button>
        </div>
      ))}
      <form
        className="flex items-start gap-1"
        onSubmit={(event) => {
          event.preventDefault()
          add()
        }}
      >
        <input
          aria-label="Name of a new argument"
          aria-invalid={fault !== undefined}
          placeholder="name"
          value={adding.name}
          onChange={(event) => setAdding({ ...adding, name: event.target.value.trim() })}
          className="h-8 w-2/5 rounded-md border border-line-strong bg-surface px-2 text-sm placeholder:text-muted aria-invalid:border-danger"
        />
        <input
          aria-label="Value of a new argument"
          placeholder="value"
          value={adding.value}
          onChange={(event) => setAdding({ ...adding, value: event.target.value })}
          className="h-8 min-w-0 flex-1 rounded-md border border-line-strong bg-surface px-2 font-mono text-[13px] placeholder:text-muted"
        />
        <Button
          type="submit"
          aria-label="Add the argument"
          disabled={adding.name === '' || fault !== undefined}
        >
          <Plus className="size-4" aria-hidden="true" />
        </Button>
      </form>
      {fault && <p className="text-xs text-danger">{fault}</p>}
    </>
  )
}

function CanvasFields({ task }: { task: string }) {
  const { document } = useSession()
  const placed = useDocument((state) => entry(state.nodes, task))
  return (
    <>
      <fieldset className="flex flex-wrap items-center gap-1.5">
        <legend className="mb-1 text-xs font-medium text-muted">Colour</legend>
        {['', ...colours].map((colour, index) => (
          <button
            key={colour}
            type="button"
            aria-label={colour === '' ? 'No colour' : `Colour ${index}`}
            aria-pressed={(placed?.colour ?? '') === colour}
            onClick={() => document.actions.decorate([task], { colour }, 'Colour')}
            className="size-6 rounded-full border-2 border-line-strong aria-pressed:border-accent aria-pressed:ring-2 aria-pressed:ring-accent"
            style={{ background: colour || 'var(--color-surface)' }}
          />
        ))}
      </fieldset>
      <TextField
        label="Note"
        value={placed?.note ?? ''}
        placeholder="For whoever reads the canvas"
        onCommit={(note) => document.actions.decorate([task], { note }, 'Note')}
      />
      <GroupField tasks={[task]} />
    </>
  )
}
