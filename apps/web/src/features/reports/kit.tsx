/** Small parts that the Explore, Run and report views share. */
import { CircleAlert, LoaderCircle } from 'lucide-react'
import { type ButtonHTMLAttributes, type HTMLAttributes, type ReactNode, type Ref, useId } from 'react'
import type { ApiProblem } from '../../api/client.ts'

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  look?: 'primary' | 'plain' | 'danger'
  busy?: boolean
}

const looks = {
  primary: 'bg-accent text-on-accent border-transparent hover:bg-accent-strong',
  plain: 'bg-surface text-ink border-line-strong hover:bg-sunken',
  danger: 'bg-surface text-danger border-line-strong hover:bg-sunken',
}

export function Button({
  look = 'plain',
  busy = false,
  children,
  className = '',
  disabled,
  ...rest
}: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      disabled={disabled || busy}
      className={`inline-flex h-8 items-center justify-center gap-1.5 rounded-md border px-3 text-sm font-medium whitespace-nowrap disabled:cursor-not-allowed disabled:opacity-50 ${looks[look]} ${className}`}
    >
      {busy && <LoaderCircle className="size-4 animate-spin" aria-hidden="true" />}
      {children}
    </button>
  )
}

export const inputClass =
  'h-8 w-full rounded-md border border-line-strong bg-surface px-2 text-sm text-ink aria-invalid:border-danger'

/** A labelled field; `children` gets the attributes that tie the control to label, hint and error. */
export function Field({
  label,
  hint,
  error,
  className = '',
  children,
}: {
  label: string
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
      <label htmlFor={id} className="text-xs font-medium text-muted">
        {label}
      </label>
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

/** A whole number in a field: empty means "as by default". */
export function NumberField({
  label,
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
  hint?: ReactNode
  error?: string
  value: string
  onChange: (value: string) => void
  placeholder?: string
  min: number
  max: number
  className?: string
}) {
  const wrong = value.trim() !== '' && wholeNumber(value, min, max) === undefined
  return (
    <Field
      label={label}
      hint={hint}
      error={
        wrong
          ? `A whole number from ${min.toLocaleString('en-GB')} to ${max.toLocaleString('en-GB')}.`
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

/** The whole number that a text says, when it lies between the bounds. */
export function wholeNumber(text: string, min: number, max: number): number | undefined {
  if (!/^\s*\d{1,10}\s*$/.test(text)) return undefined
  const value = Number(text)
  return value >= min && value <= max ? value : undefined
}

/** A choice among few with its label beside it. */
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
      <label htmlFor={id}>{label}</label>
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

/** A titled part of a screen. */
export function Panel({
  title,
  actions,
  children,
  className = '',
  testId,
}: {
  title: string
  actions?: ReactNode
  children: ReactNode
  className?: string
  testId?: string
}) {
  const id = useId()
  return (
    <section
      aria-labelledby={id}
      data-testid={testId}
      className={`flex min-w-0 flex-col rounded-lg border border-line bg-surface ${className}`}
    >
      <header className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1 border-b border-line px-3 py-2">
        <h2 id={id} className="text-sm font-semibold">
          {title}
        </h2>
        {actions}
      </header>
      <div className="flex min-h-0 min-w-0 flex-1 flex-col gap-3 p-3">{children}</div>
    </section>
  )
}

/** What went wrong, with the fields at fault and, when it may help, another try. */
export function ProblemNote({ problem, retry }: { problem: ApiProblem | undefined; retry?: () => void }) {
  if (!problem) return null
  return (
    <div
      role="alert"
      className="flex items-start gap-2 rounded-md border border-danger bg-danger-soft px-3 py-2 text-sm"
    >
      <CircleAlert className="mt-0.5 size-4 shrink-0 text-danger" aria-hidden="true" />
      <div className="min-w-0 flex-1">
        <p className="font-medium">{problem.title}</p>
        {problem.detail && problem.detail !== problem.title && (
          <p className="break-words">{problem.detail}</p>
        )}
        {problem.fields.length > 0 && (
          <ul className="mt-1 list-disc pl-4">
            {problem.fields.map((field) => (
              <li key={`${field.field} ${field.message}`}>
                <code>{field.field}</code>: {field.message}
              </li>
            ))}
          </ul>
        )}
      </div>
      {retry && <Button onClick={retry}>Try again</Button>}
    </div>
  )
}

/** Waiting for the first data of a screen or part. */
export function Waiting({ what }: { what: string }) {
  return (
    <p role="status" className="flex items-center gap-2 p-4 text-sm text-muted">
      <LoaderCircle className="size-4 animate-spin motion-reduce:animate-none" aria-hidden="true" />
      {what}
    </p>
  )
}

/** Nothing there yet, and what to do about it. */
export function Nothing({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="flex flex-col items-center gap-2 px-6 py-10 text-center">
      <p className="text-base font-semibold">{title}</p>
      <div className="max-w-prose text-sm text-muted">{children}</div>
    </div>
  )
}

/** Progress of a job from 0 to 1, with what it is doing. */
export function JobProgress({ value, label, testId }: { value: number; label: string; testId?: string }) {
  const percent = Math.round(Math.min(1, Math.max(0, value)) * 100)
  return (
    <div className="flex min-w-0 flex-1 flex-col gap-1" data-testid={testId}>
      <div className="flex justify-between gap-2 text-xs text-muted">
        <span className="truncate">{label}</span>
        <span className="tabular-nums">{percent}%</span>
      </div>
      <div
        role="progressbar"
        aria-label={label || 'Progress'}
        aria-valuenow={percent}
        aria-valuemin={0}
        aria-valuemax={100}
        className="h-1.5 overflow-hidden rounded-full bg-sunken"
      >
        <div className="h-full rounded-full bg-accent transition-[width]" style={{ width: `${percent}%` }} />
      </div>
    </div>
  )
}

const tones = {
  ok: 'bg-ok-soft text-ok',
  warn: 'bg-warn-soft text-warn',
  danger: 'bg-danger-soft text-danger',
  accent: 'bg-accent-soft text-accent-strong',
  muted: 'bg-sunken text-muted',
}

/** One word about a thing. */
export function Badge({
  tone = 'muted',
  children,
  title,
}: {
  tone?: keyof typeof tones
  children: ReactNode
  title?: string
}) {
  return (
    <span
      title={title}
      className={`inline-flex items-center rounded px-1.5 py-px text-xs font-medium whitespace-nowrap ${tones[tone]}`}
    >
      {children}
    </span>
  )
}

/** A region that scrolls, and so must be reachable by keyboard. */
export function Scroll({
  label,
  ref,
  children,
  ...rest
}: { label: string; ref?: Ref<HTMLElement> } & HTMLAttributes<HTMLElement>) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: without a place in the tab order its hidden part is out of reach.
    <section ref={ref} aria-label={label} tabIndex={0} {...rest}>
      {children}
    </section>
  )
}
