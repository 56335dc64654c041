/** The pace of a replay. Pure. */

/** How many times as fast as the run itself a replay plays. */
export const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 5, 10] as const
export type Speed = (typeof SPEEDS)[number]

/** Where the cursor is after `passed` ms of playing; not beyond `to`. */
export const played = (at: number, passed: number, speed: Speed, to: number): number =>
  Math.min(to, at + Math.max(0, passed) * speed)

/** Share of the run that an arrow key moves the cursor; with Shift ten times as much. */
const ARROW_SHARE = 1 / 200

/** Where a key moves the cursor; `undefined` for keys that do not. */
export function movedBy(
  { key, shiftKey }: { key: string; shiftKey: boolean },
  at: number,
  { from, to }: { from: number; to: number },
): number | undefined {
  const step = (to - from) * ARROW_SHARE * (shiftKey ? 10 : 1)
  const within = (next: number) => Math.min(to, Math.max(from, next))
  if (key === 'ArrowRight' || key === 'ArrowUp') return within(at + step)
  if (key === 'ArrowLeft' || key === 'ArrowDown') return within(at - step)
  if (key === 'Home') return from
  if (key === 'End') return to
  return undefined
}
