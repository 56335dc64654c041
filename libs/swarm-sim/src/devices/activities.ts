/** What each device is doing: invocations on its cores or waiting for them, and transfers from and to it. */
import type { Tokens } from '../engine/tokens.ts'

/** An invocation or a transfer of a device. */
export interface Activity {
  kind: 'core' | 'up' | 'down'
  /** A copy of the token as it was before, to repeat the work with. */
  spare: number
  /** When it was asked for, in ms. */
  askedAt: number
  /** While a core or the air is taken, in ms; infinite while it waits for a core. */
  from: number
  to: number
  bytes: number
}

/** What activities have reserved of the time after now: ms of cores, and bytes. */
export interface Reserved {
  core: number
  up: number
  down: number
}

export class Activities {
  readonly #tokens: Tokens
  readonly #activities: Map<number, Activity>[]
  readonly #device = new Map<number, number>()
  /** Tokens whose work was lost; an event still holds each of them. */
  readonly #void = new Set<number>()

  constructor(devices: number, tokens: Tokens) {
    this.#tokens = tokens
    this.#activities = Array.from({ length: devices }, () => new Map())
  }

  /** A token's activity begins, or waits for a core; call it before any time is added to the token. */
  enter(device: number, token: number, activity: Omit<Activity, 'spare'>): void {
    this.#device.set(token, device)
    this.#activities[device]?.set(token, { ...activity, spare: this.#tokens.copy(token) })
  }

  /** A token that waited has a core. */
  begin(token: number, from: number, to: number): void {
    const device = this.#device.get(token)
    const activity = device === undefined ? undefined : this.#activities[device]?.get(token)
    if (activity) Object.assign(activity, { from, to })
  }

  /** A token's activity has ended. False when its work was lost: then it is released. */
  leave(token: number): boolean {
    if (this.#void.delete(token)) {
      this.#tokens.release(token)
      return false
    }
    const device = this.#device.get(token)
    if (device === undefined) return true
    this.#device.delete(token)
    const activities = this.#activities[device] as Map<number, Activity>
    this.#tokens.release((activities.get(token) as Activity).spare)
    activities.delete(token)
    return true
  }

  /** Ends all activities of a device: their tokens' work is lost, and the caller has the copies of them. */
  clear(device: number): [token: number, activity: Activity][] {
    const activities = [...(this.#activities[device] as Map<number, Activity>)]
    for (const [token] of activities) {
      this.#void.add(token)
      this.#device.delete(token)
    }
    this.#activities[device]?.clear()
    return activities
  }

  /** What the activities of a device have reserved of the time after `now`. */
  reserved(device: number, now: number): Reserved {
    const sums: Reserved = { core: 0, up: 0, down: 0 }
    for (const activity of (this.#activities[device] as Map<number, Activity>).values())
      sums[activity.kind] +=
        activity.kind === 'core' ? msAfter(activity, now) : activity.bytes * shareAfter(activity, now)
    return sums
  }
}

/** How much of an activity's time lies after `now`, in ms; 0 for one that has not begun. */
export function msAfter({ from, to }: Activity, now: number): number {
  return from === Number.POSITIVE_INFINITY ? 0 : Math.max(0, to - Math.max(from, now))
}

/** The same as a share of its time. */
export function shareAfter(activity: Activity, now: number): number {
  const { from, to } = activity
  return to > from ? msAfter(activity, now) / (to - from) : 0
}
