/** Feedback of a screen: loading, empty state, progress, errors and badges. */
import { CircleAlert, LoaderCircle } from 'lucide-react'
import type { ReactNode } from 'react'
import type { ApiProblem } from '../api/client.ts'
import { Button } from './Button.tsx'

/** An error: what happened, the fields at fault, and a button to try again when `retry` is given. */
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

/** Spinner with a text, shown until the first data of a screen or panel has arrived. */
export function Waiting({ what }: { what: string }) {
  return (
    <p role="status" className="flex items-center gap-2 p-4 text-sm text-muted">
      <LoaderCircle className="size-4 animate-spin motion-reduce:animate-none" aria-hidden="true" />
      {what}
    </p>
  )
}

/** Empty state: what is missing, and how to get it. */
export function Nothing({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="flex flex-col items-center gap-2 px-6 py-10 text-center">
      <p className="text-base font-semibold">{title}</p>
      <div className="max-w-prose text-sm text-muted">{children}</div>
    </div>
  )
}

/** Progress bar of a job. `value` runs from 0 to 1; `label` says what the job is doing. */
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

/** A short coloured label. */
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
