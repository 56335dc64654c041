/** A value as a bar and as text. `max` fills the width of the cell. */
export function Bar({
  value,
  max,
  text,
  textWidth = 'w-16',
}: {
  value: number
  max: number
  text: string
  /** Class for the width of the text. */
  textWidth?: string
}) {
  return (
    <span className="flex items-center gap-2">
      <span className="h-2.5 flex-1 overflow-hidden rounded-xs bg-sunken" aria-hidden="true">
        <span
          className="block h-full bg-accent"
          style={{ width: `${max > 0 ? Math.max(0, (value / max) * 100) : 0}%` }}
        />
      </span>
      <span className={`${textWidth} text-right tabular-nums`}>{text}</span>
    </span>
  )
}
