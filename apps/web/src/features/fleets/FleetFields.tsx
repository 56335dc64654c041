/** Form controls for the fields of a fleet, made from its schema: name, unit and range of each are there. */
import { fleetSchema, type Quantity, type Schema, type Field as SchemaField, schemaAt } from '@hivemind/swarm'
import { createContext, use, useState } from 'react'
import { Field, inputClass } from '../../ui/fields.tsx'
import { handOverLabels } from '../explore/handOver.ts'
import { typedNumber } from './draft.ts'

/** What the controls of one form share. */
export interface FleetForm {
  value: (path: string) => unknown
  fault: (path: string) => string | undefined
  /** Changes a field; `undefined` removes it. */
  set: (path: string, value: unknown) => void
}
export const FleetFormContext = createContext<FleetForm | null>(null)

/** The form around this control. */
export function useFleetForm(): FleetForm {
  const form = use(FleetFormContext)
  if (!form) throw new Error('This control belongs into a form of a fleet.')
  return form
}

const LABELS: Record<string, string> = {
  name: 'Short name',
  label: 'Description',
  kind: 'Kind',
  sensors: 'Sensors (separated by commas)',
  serves: 'Device classes that they serve (separated by commas; empty for all)',
  coldStartSpread: 'Spread of starts (quantiles over the mean, separated by spaces)',
  processPerTask: 'Each task has a process of its own',
  awaitsArrival: 'Waits until its items have arrived',
  isShared: 'All functions share the bandwidth',
}
const CHOICES: Record<string, string> = {
  wireless: 'Wireless',
  wired: 'Wired',
  loopback: 'Loopback',
  ...handOverLabels,
}

const innerOf = (field: SchemaField): Schema => (field.kind === 'optional' ? field.of : field)

interface Leaf {
  name: string
  path: string
  schema: Schema
  /** Left out when it is empty. */
  isOptional: boolean
}

/** The fields of a record and of the records in it, without those that `omit` names. */
function leavesOf(path: string, schema: Schema | undefined, omit: readonly string[]): Leaf[] {
  if (schema?.kind !== 'record') return []
  return Object.entries(schema.fields).flatMap(([name, field]) => {
    const isOptional = field.kind === 'optional'
    const leaf = { name, path: `${path}.${name}`, schema: innerOf(field), isOptional }
    if (omit.includes(name)) return []
    return leaf.schema.kind === 'record' ? leavesOf(leaf.path, leaf.schema, []) : [leaf]
  })
}

/** Check boxes and lines of text come behind what has the width of a column. */
const rankOf = ({ schema }: Leaf): number => (schema.kind === 'boolean' ? 1 : schema.kind === 'list' ? 2 : 0)

/** The controls of a record's fields. What has a form of its own is left out by `omit`. */
export function RecordFields({ path, omit = [] }: { path: string; omit?: readonly string[] }) {
  return leavesOf(path, schemaAt(fleetSchema, path), omit)
    .sort((a, b) => rankOf(a) - rankOf(b))
    .map((leaf) => <OneField key={leaf.path} {...leaf} />)
}

function OneField({ name, path, schema, isOptional }: Leaf) {
  const { value, fault, set } = useFleetForm()
  const label = LABELS[name] ?? name
  const current = value(path)
  if (schema.kind === 'number' || schema.kind === 'integer')
    return schema.quantity && <QuantityField path={path} quantity={schema.quantity} />
  if (schema.kind === 'boolean')
    return (
      <label className="flex items-center gap-2 self-end pb-1.5 text-sm">
        <input
          type="checkbox"
          checked={current === true}
          onChange={(event) => set(path, event.target.checked || undefined)}
        />
        {label}
      </label>
    )
  if (schema.kind === 'enum')
    return (
      <Field label={label} error={fault(path)}>
        {(control) => (
          <select
            {...control}
            className={inputClass}
            value={String(current ?? schema.values[0])}
            onChange={(event) => set(path, event.target.value)}
          >
            {schema.values.map((each) => (
              <option key={each} value={each}>
                {CHOICES[each] ?? each}
              </option>
            ))}
          </select>
        )}
      </Field>
    )
  if (schema.kind === 'list')
    return (
      <ListField path={path} label={label} numbers={schema.of.kind === 'number'} isOptional={isOptional} />
    )
  return (
    <Field label={label} error={fault(path)}>
      {(control) => (
        <input
          {...control}
          className={inputClass}
          autoComplete="off"
          value={String(current ?? '')}
          onChange={(event) => set(path, event.target.value)}
        />
      )}
    </Field>
  )
}

/** A number with its unit beside it. What is typed stays as it is until it means another number. */
function QuantityField({ path, quantity }: { path: string; quantity: Quantity }) {
  const { value, fault, set } = useFleetForm()
  const current = value(path)
  const printed = current === undefined ? '' : String(current)
  const [typed, setTyped] = useState(printed)
  return (
    <Field
      label={quantity.label}
      error={fault(path)}
      hint={quantity.hint}
      term={path.endsWith('.coldStartMs') ? 'coldStart' : undefined}
    >
      {(control) => (
        <span className="flex items-center gap-1.5">
          <input
            {...control}
            className={`${inputClass} min-w-0 flex-1 tabular-nums`}
            inputMode="decimal"
            autoComplete="off"
            value={typedNumber(typed) === current ? typed : printed}
            onChange={(event) => {
              setTyped(event.target.value)
              set(path, typedNumber(event.target.value))
            }}
          />
          {quantity.unit && <span className="text-xs whitespace-nowrap text-muted">{quantity.unit}</span>}
        </span>
      )}
    </Field>
  )
}

const partsOf = (text: string, numbers: boolean): (string | number)[] => {
  const parts = text.split(numbers ? /\s+/ : ',').map((part) => part.trim())
  return parts.filter((part) => part !== '').map((part) => (numbers ? typedNumber(part) : part))
}

/** A list of words or numbers as one line of text. */
function ListField({
  path,
  label,
  numbers,
  isOptional,
}: {
  path: string
  label: string
  numbers: boolean
  isOptional: boolean
}) {
  const { value, fault, set } = useFleetForm()
  const current = value(path)
  const entries = Array.isArray(current) ? current : []
  const printed = entries.join(numbers ? ' ' : ', ')
  const [typed, setTyped] = useState(printed)
  const same = JSON.stringify(partsOf(typed, numbers)) === JSON.stringify(entries)
  const first = entries.findIndex((_, index) => fault(`${path}.${index}`) !== undefined)
  const error = fault(path) ?? (first < 0 ? undefined : `Entry ${first + 1}: ${fault(`${path}.${first}`)}`)
  return (
    <Field label={label} error={error} className="col-span-full">
      {(control) => (
        <input
          {...control}
          className={inputClass}
          autoComplete="off"
          value={same ? typed : printed}
          onChange={(event) => {
            const parts = partsOf(event.target.value, numbers)
            setTyped(event.target.value)
            set(path, isOptional && parts.length === 0 ? undefined : parts)
          }}
        />
      )}
    </Field>
  )
}
