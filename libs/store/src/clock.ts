/** Time in microseconds since 1970. */
export interface Clock {
  /** Never less than an earlier answer. */
  now(): number
}

/** The clock of this machine. It stands still where the machine's clock is set back. */
export function systemClock(): Clock {
  let last = 0
  return {
    now() {
      last = Math.max(last, Math.floor((performance.timeOrigin + performance.now()) * 1000))
      return last
    },
  }
}
