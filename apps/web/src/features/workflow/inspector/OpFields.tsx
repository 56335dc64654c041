import { isOp, OP_NAMES, OPS, type OpParameter, readNfu } from '@hivemind/nfu'
import type { Task } from '@hivemind/workflow'
import { printOp, readOp } from '../model/op.ts'
import { useSession } from '../session.ts'
import { SelectField, TextField } from './controls.tsx'

const labels: Readonly<Record<OpParameter['name'], string>> = {
  window: 'Window (values)',
  count: 'Count (values)',
  field: 'Field',
  above: 'At least',
  below: 'At most',
}

/** The op of a network functional unit and its parameters, one field each. Nothing for code that cannot be read as one. */
export function OpFields({ task }: { task: Task }) {
  const { document } = useSession()
  const read = readOp(task.code)
  if (!read) return null
  const { op, values } = read
  const set = (code: string, label: string): void => {
    document.actions.edit({ kind: 'setCode', task: task.name, code }, { label })
  }
  return (
    <fieldset className="flex flex-col gap-2.5" data-testid="op-fields">
      <legend className="sr-only">Network functional unit</legend>
      <SelectField
        label="Op"
        value={op}
        options={OP_NAMES.map((name) => [name, name] as const)}
        hint={OPS[op].help}
        onChange={(next) => isOp(next) && set(printOp(next, values), `Change the op to ${next}`)}
      />
      {OPS[op].parameters.map(({ name, help }) => (
        <TextField
          key={`${op} ${name}`}
          label={labels[name]}
          hint={help}
          testId={`op-${name}`}
          value={values[name] ?? ''}
          placeholder="Not set"
          fault={(text) => readNfu(printOp(op, { ...values, [name]: text })).problems[0]?.message}
          onCommit={(text) => set(printOp(op, { ...values, [name]: text }), `Set ${name}`)}
        />
      ))}
    </fieldset>
  )
}
