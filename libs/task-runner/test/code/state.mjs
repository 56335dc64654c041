/** Sums its inputs up in its state, and keeps the last as bytes. */
export function run({ x }, args, { state }) {
  if (args.strange) state.set('odd', new Map())
  const whole = state.get()
  const last = state.get('last', null)
  const sum = state.get('sum', 0) + (typeof x === 'number' ? x : 0)
  state.set('sum', sum)
  state.set('last', new Uint8Array(args.fill ?? 1).fill(x))
  return { sum, whole, last }
}
