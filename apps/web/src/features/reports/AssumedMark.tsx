/** Marks a task whose figures nobody has measured. */
export function AssumedMark() {
  return (
    <span
      title="Assumed: nobody has measured this task. Its times and sizes are defaults for tasks of its kind."
      className="rounded bg-warn-soft px-1 text-xs text-warn"
    >
      assumed
    </span>
  )
}
