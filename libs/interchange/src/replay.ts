/** The code that every imported task runs; it becomes a file of the imported project, so it stands alone. */
export const REPLAY_CODE = `/**
 * Stands in for a task of an imported trace: it computes for a share of the traced time and returns as many bytes
 * as the trace says. Arguments of the task: traceMs, traceBytes, and speed (the share of the traced time, 0.001 by
 * default).
 */
const SPEED = 1 / 1000
/** Limits of one call, whatever the trace says: computing time in ms, and bytes of output. */
const MAX_MS = 2000
const MAX_OUTPUT_BYTES = 1_000_000

const amount = (value, otherwise) =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : otherwise

export function run(inputs, args, context) {
  const traced = amount(args.traceMs, 0) * amount(args.speed, SPEED)
  const turns = compute(Math.min(MAX_MS, traced))
  const wanted = amount(args.traceBytes, undefined)
  const output = wanted === undefined ? null : filled(Math.min(MAX_OUTPUT_BYTES, Math.round(wanted)), context.task)
  const cut = [
    ...(traced > MAX_MS ? [\`time cut from \${Math.round(traced)} ms\`] : []),
    ...(wanted > MAX_OUTPUT_BYTES ? [\`output cut from \${Math.round(wanted)} bytes\`] : []),
  ]
  context.log(
    [\`read \${sizeOf(inputs)} bytes, computed \${turns} turns, wrote \${output?.length ?? 0} bytes\`, ...cut].join('; '),
  )
  return output
}

/** Keeps a core busy for the given time. */
function compute(ms) {
  const end = performance.now() + ms
  let turns = 0
  let value = 1
  while (performance.now() < end) {
    for (let step = 0; step < 1000; step++) value = Math.imul(value ^ step, 0x01000193) >>> 0
    turns++
  }
  return value === 0 ? turns + 1 : turns
}

/** Bytes that differ from task to task and do not compress. */
function filled(length, seed) {
  let state = 0x811c9dc5
  for (let at = 0; at < seed.length; at++) state = Math.imul(state ^ seed.charCodeAt(at), 0x01000193) >>> 0
  const bytes = new Uint8Array(length)
  for (let at = 0; at < length; at++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    bytes[at] = state >>> 24
  }
  return bytes
}

/** Bytes of everything a task was given. */
function sizeOf(value) {
  if (value instanceof Uint8Array) return value.length
  if (typeof value !== 'object' || value === null) return 0
  return Object.values(value).reduce((sum, part) => sum + sizeOf(part), 0)
}
`
