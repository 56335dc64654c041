/** Counts on from its state, which it changes once more after the last item. */
export function* run(_, { upTo }, { state }) {
  for (let n = state.get('next', 0); n < upTo; n++) {
    state.set('next', n + 1)
    yield n
  }
  state.set('next', 'end')
}
