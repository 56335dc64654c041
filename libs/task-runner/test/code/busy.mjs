/** Computes until it has had so many ms of a core, in two halves with an item in between. */
export function* run(_, { ms }) {
  compute(ms / 2)
  yield 1
  compute(ms / 2)
}

function compute(ms) {
  const from = used()
  while (used() - from < ms * 1000);
}

function used() {
  const { user, system } = process.threadCpuUsage()
  return user + system
}
