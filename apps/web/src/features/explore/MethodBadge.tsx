import { Badge } from '../../ui/feedback.tsx'

/** The words for where a figure comes from, each with its meaning. */
export const METHODS = {
  simulated: {
    word: 'simulated',
    meaning: 'The mean of five simulated runs with different chance events. These are the figures to go by.',
  },
  quick: {
    word: 'quick estimate',
    meaning:
      'A closed formula, computed while you wait. It leaves out some waiting under load, so it may differ from the simulated figure.',
  },
} as const

/** Says where a figure comes from; the meaning is shown on hover. */
export function MethodBadge({ method }: { method: keyof typeof METHODS }) {
  const { word, meaning } = METHODS[method]
  return (
    <Badge tone={method === 'simulated' ? 'ok' : 'muted'} title={meaning}>
      {word}
    </Badge>
  )
}
