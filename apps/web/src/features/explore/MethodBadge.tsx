import { Badge } from '../../ui/feedback.tsx'
import { Term } from '../../words/Term.tsx'

/** Says where a figure comes from: from simulated runs, or from formulas. */
export function MethodBadge({ method }: { method: 'simulated' | 'quick' }) {
  return (
    <Badge tone={method === 'simulated' ? 'ok' : 'muted'}>
      <Term of={method === 'simulated' ? 'simulated' : 'quickEstimate'}>
        {method === 'simulated' ? 'simulated' : 'quick estimate'}
      </Term>
    </Badge>
  )
}
