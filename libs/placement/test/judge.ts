/** What a placement comes to, judged anew from its first task to its last: to hold the library's judge against. */
import type { AdditiveProblem } from '../src/exact/problem.ts'

/** Writes latency and figures of `placement` (from `offset`) to `out` (from `outAt`). */
export function judgeOf(problem: AdditiveProblem) {
  const {
    tasks,
    figures: m,
    tiers,
    first,
    time,
    own,
    send,
    from,
    pair,
    edgeTime,
    edgeFigures,
    crosses,
  } = problem
  const { into, outOf, to } = problem
  const ends = new Float64Array(tasks)
  return (placement: Uint8Array, offset: number, out: Float64Array, outAt: number): void => {
    let latency = 0
    for (let k = 0; k < m; k++) out[outAt + 1 + k] = 0
    for (let t = 0; t < tasks; t++) {
      const tier = placement[offset + t] as number
      const row = (first[t] as number) + tier
      let ready = 0
      const edges = into[t] as Int32Array
      for (let i = 0; i < edges.length; i++) {
        const e = edges[i] as number
        const p = from[e] as number
        const cell = (pair[e] as number) + (placement[offset + p] as number) * (tiers[t] as number) + tier
        const arrives = (ends[p] as number) + (edgeTime[cell] as number)
        if (arrives > ready) ready = arrives
        for (let k = 0; k < m; k++)
          out[outAt + 1 + k] = (out[outAt + 1 + k] as number) + (edgeFigures[cell * m + k] as number)
      }
      const end = ready + (time[row] as number)
      ends[t] = end
      if (end > latency) latency = end
      for (let k = 0; k < m; k++)
        out[outAt + 1 + k] = (out[outAt + 1 + k] as number) + (own[row * m + k] as number)
      const children = outOf[t] as Int32Array
      for (let i = 0; i < children.length; i++) {
        const e = children[i] as number
        const c = to[e] as number
        if (
          (crosses[
            (pair[e] as number) + tier * (tiers[c] as number) + (placement[offset + c] as number)
          ] as number) === 0
        )
          continue
        for (let k = 0; k < m; k++)
          out[outAt + 1 + k] = (out[outAt + 1 + k] as number) + (send[row * m + k] as number)
        break
      }
    }
    out[outAt] = latency
  }
}
