import { CircleAlert, CircleCheck, TriangleAlert } from 'lucide-react'
import type { TargetCheck } from '../../api/types.ts'
import { verdictOf } from './targets.ts'

const marks = {
  ok: { icon: CircleCheck, tone: 'text-ok', label: 'Good' },
  warning: { icon: TriangleAlert, tone: 'text-warn', label: 'Warning' },
  error: { icon: CircleAlert, tone: 'text-danger', label: 'Missing' },
}

/** What a check of a cluster found: a verdict, and each finding. */
export function CheckResult({ check }: { check: TargetCheck }) {
  const verdict = verdictOf(check)
  return (
    <div role="status" className="flex flex-col gap-1 text-sm" data-testid="check-result">
      <p className={`font-medium ${verdict.good ? 'text-ok' : 'text-danger'}`}>{verdict.text}</p>
      <ul className="flex flex-col gap-1">
        {check.findings.map(({ level, message }) => {
          const { icon: Icon, tone, label } = marks[level]
          return (
            <li key={message} className="flex items-start gap-2">
              <Icon className={`mt-0.5 size-4 shrink-0 ${tone}`} aria-label={label} />
              <span className="min-w-0 break-words">{message}</span>
            </li>
          )
        })}
      </ul>
    </div>
  )
}
