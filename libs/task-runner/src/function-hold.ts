/** How whoever counts the requests of a function learns of calls that go past it. */

/** Path that is answered after a time, and does nothing: whoever counts requests sees one for so long. */
export const HOLD_PATH = '/hold'
/** Longest time for which one request is held, in ms. */
export const MAX_HOLD_MS = 10_000
