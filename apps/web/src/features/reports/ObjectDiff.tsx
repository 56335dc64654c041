import type { ObjectChange } from '../../api/types.ts'
import { Badge } from '../../ui/feedback.tsx'
import { Scroll } from '../../ui/Panel.tsx'
import { actionTone, objectActionLabel } from './plannedChanges.ts'

const lineTone: Record<string, string> = {
  '+': 'bg-ok-soft text-ok',
  '-': 'bg-danger-soft text-danger',
}

/** One object of a cluster, closed at first: what becomes of it, and its YAML with the lines that come and go. */
export function ObjectDiff({ object: { kind, name, action, diff } }: { object: ObjectChange }) {
  return (
    <details className="min-w-0" data-testid={`object-${kind}-${action}`}>
      <summary className="cursor-pointer py-1">
        <span className="inline-flex flex-wrap items-baseline gap-x-2">
          <Badge tone={actionTone[action]}>{objectActionLabel[action]}</Badge>
          <span>{kind}</span>
          <span className="font-mono text-xs break-all">{name}</span>
        </span>
      </summary>
      <Scroll
        className="mt-1 mb-2 max-h-72 overflow-auto rounded-md border border-line bg-sunken"
        label={`YAML of ${kind} ${name}`}
      >
        <pre className="w-max min-w-full py-1 font-mono text-xs leading-5">
          {diff.split('\n').map((line, number) => (
            <span key={number} className={`block px-2 ${lineTone[line[0] ?? ''] ?? ''}`}>
              {line}
            </span>
          ))}
        </pre>
      </Scroll>
    </details>
  )
}
