import { Term } from '../../words/Term.tsx'

/** Marks a task whose figures nobody has measured. */
export function AssumedMark() {
  return (
    <span className="rounded bg-warn-soft px-1 text-xs text-warn">
      <Term of="assumed">assumed</Term>
    </span>
  )
}
