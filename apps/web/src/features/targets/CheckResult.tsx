import type { TargetCheck } from '../../api/types.ts'
import { Findings } from '../reports/Findings.tsx'
import { verdictOf } from './targets.ts'

/** What a check of a cluster found: a verdict, and each finding. */
export function CheckResult({ check }: { check: TargetCheck }) {
  const verdict = verdictOf(check)
  return (
    <div role="status" className="flex flex-col gap-1 text-sm" data-testid="check-result">
      <p className={`font-medium ${verdict.good ? 'text-ok' : 'text-danger'}`}>{verdict.text}</p>
      <Findings findings={check.findings} label="Findings" />
    </div>
  )
}
