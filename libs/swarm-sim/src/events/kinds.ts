/** Kinds of events. */
export const EMIT = 0
export const DONE = 1
export const HANDED_OVER = 2
export const CROSSED = 3
export const DISPATCHED = 4
export const STARTED = 5
/** Only of a run with all that can befall one. */
export const SHARED = 6
export const WORKS = 7
export const ACKNOWLEDGED = 8
export const UNBLOCKED = 9
export const HAPPENS = 10
export const RESUMES = 11
export const ROUND = 12
