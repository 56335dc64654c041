import { useMemo } from 'react'
import type { Candidate } from '../../api/types.ts'
import { Button } from '../../ui/Button.tsx'
import { capitalised } from './names.ts'
import { verdictOf } from './verdict.ts'

/** What the exploration comes to, in one sentence, before any plot. */
export function VerdictPanel({
  candidates,
  selected,
  onSelect,
}: {
  candidates: readonly Candidate[]
  selected: string | undefined
  onSelect: (id: string) => void
}) {
  const verdict = useMemo(() => verdictOf(candidates), [candidates])
  if (!verdict) return null
  const { candidate, name, reason } = verdict
  return (
    <section
      aria-label="Verdict"
      data-testid="verdict"
      className="flex flex-wrap items-center gap-x-4 gap-y-2 rounded-lg border border-accent bg-surface px-4 py-3"
    >
      <p className="min-w-72 flex-1 text-base">
        <strong className="font-semibold">{capitalised(name)}:</strong>{' '}
        {reason.charAt(0).toLowerCase() + reason.slice(1)}
      </p>
      <Button
        data-testid="verdict-select"
        disabled={candidate.id === selected}
        title="The balance of latency, energy and cost among the candidates that meet the constraints"
        onClick={() => onSelect(candidate.id)}
      >
        {candidate.id === selected ? 'Selected below' : 'Select it'}
      </Button>
    </section>
  )
}
