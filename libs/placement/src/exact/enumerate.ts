/** All placements of a small problem, each judged from the first task in which it differs from the one before. */
import { frontRows } from './dominance.ts'
import { Judge } from './judge.ts'
import { type AdditiveProblem, sizeOf } from './problem.ts'

const CHAMPIONS = 48

/**
 * The front by enumeration: the last tasks change fastest, so that of each placement only about two tasks are judged
 * anew (with two tiers), from sums kept for every prefix: no rounding error adds up, as it would with differences.
 */
export function enumerateFront(problem: AdditiveProblem): { placements: Uint8Array; count: number } {
  const { tasks, tiers } = problem
  const size = sizeOf(problem)
  const stride = problem.figures + 1
  const rows = new Float64Array(size * stride)
  const placement = new Uint8Array(tasks)
  const judge = new Judge(problem)
  const numbers = new Float64Array(size)
  const champions = new Champions(stride)
  let kept = 0
  for (let n = 0; n < size; n++) {
    judge.judge(placement, 0, rows, kept * stride)
    if (!champions.cover(rows, kept * stride)) numbers[kept++] = n
    let changed = tasks - 1
    while (changed >= 0 && (placement[changed] as number) + 1 >= (tiers[changed] as number))
      placement[changed--] = 0
    if (changed >= 0) placement[changed] = (placement[changed] as number) + 1
  }
  const front = frontRows(rows, kept, stride)
  const placements = new Uint8Array(front.length * tasks)
  for (let i = 0; i < front.length; i++) {
    let rest = numbers[front[i] as number] as number
    for (let t = tasks - 1; t >= 0; t--) {
      placements[i * tasks + t] = rest % (tiers[t] as number)
      rest = Math.floor(rest / (tiers[t] as number))
    }
  }
  return { placements, count: front.length }
}

/** A few points that cover many others: those that last did come first. */
class Champions {
  private readonly stride: number
  private readonly rows: Float64Array
  private count = 0

  constructor(stride: number) {
    this.stride = stride
    this.rows = new Float64Array(CHAMPIONS * stride)
  }

  /** Whether one of them is nowhere above a row; if not, the row becomes one in place of the last. */
  cover(rows: Float64Array, offset: number): boolean {
    const stride = this.stride
    const own = this.rows
    for (let i = 0; i < this.count; i++) {
      let below = true
      for (let d = 0; d < stride && below; d++)
        below = (own[i * stride + d] as number) <= (rows[offset + d] as number)
      if (!below) continue
      // one step towards the front
      for (let d = 0; d < stride && i > 0; d++) {
        const value = own[i * stride + d] as number
        own[i * stride + d] = own[(i - 1) * stride + d] as number
        own[(i - 1) * stride + d] = value
      }
      return true
    }
    if (this.count < CHAMPIONS) this.count++
    for (let d = 0; d < stride; d++) own[(this.count - 1) * stride + d] = rows[offset + d] as number
    return false
  }
}
