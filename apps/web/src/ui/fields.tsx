/** Labelled form controls. Each refers to its hint or its error message for screen readers. */
import { type ReactNode, useId } from 'react'
import { Term } from '../words/Term.tsx'
import type { WordId } from '../words/words.ts'

/** Classes of every text input and drop-down list. */
export const inputClass =
  'h-8 w-full rounded-md border border-line-strong bg-surface px-2 text-sm text-ink placeholder:text-muted disabled:bg-sunken aria-invalid:border-danger'

/** A labelled field. `children` renders the control with the given attributes, which link it to label, hint and error. */
export function Field({
  label,
  term,
  hint,
  error,
  className = '',
  children,
}: {
  label: string
  /** Explains the label. */
  term?: WordId | undefined
  hint?: ReactNode
  error?: string
  className?: string
  children: (control: {
    id: string
    'aria-describedby': string | undefined
    'aria-invalid': boolean
  }) => ReactNode
}) {
  const id = useId()
  const note = error ?? hint
  return (
    <div className={`flex min-w-0 flex-col gap-1 ${className}`}>
      <span className="-my-1 flex min-h-6 items-center gap-0.5">
        <label htmlFor={id} className="text-xs font-medium text-muted">
          {label}
        </label>
        {term && <Term of={term} />}
      </span>
      {children({
        id,
        'aria-describedby': note ? `${id}-note` : undefined,
        'aria-invalid': error !== undefined,
      })}
      {note && (
        <p id={`${id}-note`} className={`text-xs ${error ? 'text-danger' : 'text-muted'}`}>
          {note}
        </p>
      )}
    </div>
  )
}

/** A text field for a whole number from `min` to `max`. Empty means the default, which `placeholder` shows. */
export function NumberField({
  label,
  term,
  hint,
  error,
  value,
  onChange,
  placeholder,
  min,
  max,
  className,
}: {
  label: string
  term?: WordId
  hint?: ReactNode
  error?: string
  value: string
  onChange: (value: string) => void
  placeholder?: string
  min: number
  max: number
  className?: string
}) {
  const invalid = value.trim() !== '' && wholeNumber(value, min, max) === undefined
  return (
    <Field
      label={label}
      term={term}
      hint={hint}
      error={
        invalid
          ? `Enter a whole number from ${min.toLocaleString('en-GB')} to ${max.toLocaleString('en-GB')}.`
          : error
      }
      className={className}
    >
      {(control) => (
        <input
          {...control}
          className={inputClass}
          inputMode="numeric"
          autoComplete="off"
          value={value}
          placeholder={placeholder}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  )
}

/** Parses a whole number from `min` to `max`; `undefined` for any other text. */
export function wholeNumber(text: string, min: number, max: number): number | undefined {
  if (!/^\s*\d{1,10}\s*$/.test(text)) return undefined
  const value = Number(text)
  return value >= min && value <= max ? value : undefined
}

/** A small field for a whole number from 1 to `max`, in a sentence: `before`, the field, and the `unit` behind it. */
export function CountField({
  label,
  before,
  unit,
  value,
  onChange,
  max,
  testId,
  className = 'gap-2',
}: {
  label: string
  before?: string
  unit: string
  value: string
  onChange: (value: string) => void
  max: number
  testId?: string
  className?: string
}) {
  return (
    <label className={`flex items-center ${className}`}>
      {before}
      <input
        className={`${inputClass} w-14!`}
        inputMode="numeric"
        aria-label={label}
        aria-invalid={wholeNumber(value, 1, max) === undefined}
        title={`A whole number from 1 to ${max.toLocaleString('en-GB')}`}
        data-testid={testId}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
      {unit}
    </label>
  )
}

/** A drop-down list with its label beside it. */
export function InlineSelect<T extends string>({
  label,
  value,
  options,
  onChange,
  className = '',
  testId,
}: {
  label: string
  value: T
  options: readonly { value: T; label: string }[]
  onChange: (value: T) => void
  className?: string
  testId?: string
}) {
  const id = useId()
  return (
    <span className="flex min-w-0 items-center gap-2 text-xs text-muted">
      <label htmlFor={id} className="whitespace-nowrap">
        {label}
      </label>
      <select
        id={id}
        data-testid={testId}
        className={`${inputClass} ${className}`}
        value={value}
        onChange={(event) => onChange(event.target.value as T)}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    </span>
  )
}
