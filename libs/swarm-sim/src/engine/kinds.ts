/** Kinds of events; in brackets, what the number that comes with one is. */
/** A sensor emits an item (sensor). */
export const EMIT = 0
/** An invocation has ended (token). */
export const DONE = 1
/** An output has been handed over between cloud functions (token). */
export const HANDED_OVER = 2
/** An output is on the other side of the uplink (token). */
export const CROSSED = 3
/** A cloud function has been dispatched (token). */
export const DISPATCHED = 4
/** A root task, or a training, has its inputs (token). */
export const STARTED = 5
/** Work on a shared host may have ended (number of the host). */
export const HOST = 6
/** The part of an invocation that needs no core of the host has passed (token). */
export const COMPUTES = 7
/** The acknowledgement of an arrival is back at its device (who waits for it). */
export const ACKNOWLEDGED = 8
/** An output no longer waits behind a lost packet (token). */
export const UNBLOCKED = 9
/** Something happens to a device (see devices.ts). */
export const DEVICE = 10
/** The device of a token is back, or has a successor (token). */
export const RESUMES = 11
/** A round of training (task). */
export const ROUND = 12
/** An output is at the other end of a link of an edge node (token). */
export const HOPPED = 13
/** An edge node has taken a call (token). */
export const CALLED = 14
/** A stream has ended, some time after its last item (sensor). */
export const STREAM_ENDED = 15
