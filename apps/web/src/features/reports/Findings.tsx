import { CircleAlert, CircleCheck, TriangleAlert } from 'lucide-react'
import type { TargetCheck } from '../../api/types.ts'

const marks = {
  ok: { icon: CircleCheck, tone: 'text-ok', label: 'Good' },
  warning: { icon: TriangleAlert, tone: 'text-warn', label: 'Warning' },
  error: { icon: CircleAlert, tone: 'text-danger', label: 'Missing' },
}

/** What a cluster has of what is needed, and what it lacks. */
export function Findings({ findings, label }: { findings: TargetCheck['findings']; label: string }) {
  return (
    <ul className="flex flex-col gap-1" aria-label={label}>
      {findings.map(({ level, message }) => {
        const { icon: Icon, tone, label: word } = marks[level]
        return (
          <li key={message} className="flex items-start gap-2">
            <Icon className={`mt-0.5 size-4 shrink-0 ${tone}`} aria-label={word} />
            <span className="min-w-0 break-words">{message}</span>
          </li>
        )
      })}
    </ul>
  )
}
