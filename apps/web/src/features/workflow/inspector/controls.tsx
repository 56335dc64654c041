/** The inspector's fields. They commit their value on blur and on Enter. */
import { X } from 'lucide-react'
import { type ReactNode, useEffect, useId, useState } from 'react'
import { Field, inputClass } from '../../../ui/fields.tsx'
import type { WordId } from '../../../words/words.ts'

/** A text field for a value of the document. Escape discards the typed text. */
export function TextField({
  label,
  term,
  value,
  onCommit,
  fault,
  hint,
  placeholder,
  suggestions,
  mono = false,
  className,
  testId,
}: {
  label: string
  term?: WordId | undefined
  value: string
  onCommit: (value: string) => void
  /** A sentence that says why the typed text is invalid; `undefined` when it is valid. */
  fault?: (value: string) => string | undefined
  hint?: ReactNode
  placeholder?: string
  suggestions?: readonly string[]
  mono?: boolean
  className?: string
  testId?: string
}) {
  const [typed, setTyped] = useState(value)
  useEffect(() => setTyped(value), [value])
  const list = useId()
  const error = typed === value ? undefined : fault?.(typed.trim())
  const commit = (): void => {
    const next = typed.trim()
    if (next === value) setTyped(value)
    else if (!error) onCommit(next)
  }
  return (
    <Field label={label} term={term} hint={hint} error={error} className={className}>
      {(control) => (
        <>
          <input
            {...control}
            data-testid={testId}
            className={`${inputClass} ${mono ? 'font-mono text-[13px]' : ''} placeholder:text-muted`}
            value={typed}
            placeholder={placeholder}
            autoComplete="off"
            spellCheck={false}
            list={suggestions?.length ? list : undefined}
            onChange={(event) => setTyped(event.target.value)}
            onBlur={commit}
            onKeyDown={(event) => {
              if (event.key === 'Enter') commit()
              if (event.key === 'Escape') {
                event.stopPropagation()
                setTyped(value)
              }
            }}
          />
          {suggestions && suggestions.length > 0 && (
            <datalist id={list}>
              {suggestions.map((one) => (
                <option key={one} value={one} />
              ))}
            </datalist>
          )}
        </>
      )}
    </Field>
  )
}

type Option = readonly [value: string, label: string]

const optionList = (options: readonly Option[]) =>
  options.map(([value, text]) => (
    <option key={value} value={value}>
      {text}
    </option>
  ))

export function SelectField({
  label,
  term,
  value,
  options,
  groups = [],
  onChange,
  hint,
  className,
  testId,
}: {
  label: string
  term?: WordId | undefined
  value: string
  options: readonly Option[]
  /** Further options, grouped under headings. */
  groups?: readonly { heading: string; options: readonly Option[] }[]
  onChange: (value: string) => void
  hint?: ReactNode
  className?: string
  testId?: string
}) {
  const known = [...options, ...groups.flatMap((group) => group.options)].some(([one]) => one === value)
  return (
    <Field label={label} term={term} hint={hint} className={className}>
      {(control) => (
        <select
          {...control}
          data-testid={testId}
          className={inputClass}
          value={value}
          onChange={(event) => onChange(event.target.value)}
        >
          {!known && <option value={value}>{value}</option>}
          {optionList(options)}
          {groups
            .filter((group) => group.options.length > 0)
            .map((group) => (
              <optgroup key={group.heading} label={group.heading}>
                {optionList(group.options)}
              </optgroup>
            ))}
        </select>
      )}
    </Field>
  )
}

export function CheckField({
  label,
  hint,
  checked,
  onChange,
}: {
  label: string
  hint: string
  checked: boolean
  onChange: (checked: boolean) => void
}) {
  return (
    <label className="flex items-start gap-2 text-sm" title={hint}>
      <input
        type="checkbox"
        className="mt-0.5 size-4 accent-accent"
        checked={checked}
        onChange={(event) => onChange(event.target.checked)}
      />
      {label}
    </label>
  )
}

/** A list of names with a remove button each, and a drop-down list to add one. */
export function NameList({
  label,
  names,
  choices,
  onAdd,
  onRemove,
  onOpen,
  none,
}: {
  label: string
  names: readonly string[]
  choices: readonly string[]
  onAdd: (name: string) => void
  onRemove: (name: string) => void
  onOpen?: (name: string) => void
  none: string
}) {
  const id = useId()
  const left = choices.filter((name) => !names.includes(name))
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <span id={id} className="text-xs font-medium text-muted">
        {label}
      </span>
      <ul aria-labelledby={id} className="flex flex-wrap gap-1">
        {names.map((name) => (
          <li
            key={name}
            className="inline-flex max-w-full items-center rounded-md border border-line bg-sunken text-[13px]"
          >
            {onOpen ? (
              <button
                type="button"
                onClick={() => onOpen(name)}
                className="min-h-6 min-w-0 truncate py-0.5 pl-1.5 hover:underline"
              >
                {name}
              </button>
            ) : (
              <span className="min-w-0 truncate py-0.5 pl-1.5">{name}</span>
            )}
            <button
              type="button"
              aria-label={`Remove ${name} from ${label}`}
              onClick={() => onRemove(name)}
              className="rounded p-1.5 text-muted hover:text-danger"
            >
              <X className="size-3" aria-hidden="true" />
            </button>
          </li>
        ))}
        {names.length === 0 && <li className="py-0.5 text-[13px] text-muted">{none}</li>}
        {left.length > 0 && (
          <li>
            <select
              aria-label={`Add to ${label}`}
              className="h-[26px] w-20 rounded-md border border-line-strong bg-surface px-1 text-[13px]"
              value=""
              onChange={(event) => event.target.value && onAdd(event.target.value)}
            >
              <option value="">Add …</option>
              {left.map((name) => (
                <option key={name} value={name}>
                  {name}
                </option>
              ))}
            </select>
          </li>
        )}
      </ul>
    </div>
  )
}

/** A collapsible section of the inspector. */
export function Section({
  title,
  open = true,
  children,
}: {
  title: string
  open?: boolean
  children: ReactNode
}) {
  return (
    <details open={open} className="border-t border-line px-3 py-2 first:border-t-0">
      <summary className="mb-2 text-[13px] font-semibold select-none">{title}</summary>
      <div className="flex flex-col gap-2.5">{children}</div>
    </details>
  )
}
