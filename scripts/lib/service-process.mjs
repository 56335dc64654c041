// How the service's process is started: `npm start` and the bench of its memory use the same.

/**
 * Options of Node.js. V8 would let the heap grow to several times of what lives in it before it collects, and new objects
 * take up to 48 MB; a service that runs for days beside other programs had better give its memory back. Options of the V8 of Node.js 24.
 */
export const serviceOptions = ['--heap-growing-percent=15', '--max-semi-space-size=4']

/** Environment of its own: glibc otherwise keeps freed memory in up to eight arenas for each core. */
export const serviceEnvironment = { MALLOC_ARENA_MAX: '2' }
