/** A value as a bar within the width of its cell, and as text; `most` fills it. */
export function Bar({
  value,
  most,
  text,
  room = 'w-16',
}: {
  value: number
  most: number
  text: string
  /** Width of the text. */
  room?: string
}) {
  return (
    <span className="flex items-center gap-2">
      <span className="h-2.5 flex-1 overflow-hidden rounded-xs bg-sunken" aria-hidden="true">
        <span
          className="block h-full bg-accent"
          style={{ width: `${most > 0 ? Math.max(0, (value / most) * 100) : 0}%` }}
        />
      </span>
      <span className={`${room} text-right tabular-nums`}>{text}</span>
    </span>
  )
}
