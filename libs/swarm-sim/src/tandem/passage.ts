/** What items pass one behind the other. */
import type { Model } from '../model/model.ts'
import type { TaskWiring } from '../model/wiring.ts'
import type { Arrivals } from './arrivals.ts'
import type { Flow } from './flow.ts'
import type { ItemsUnderWay } from './items.ts'

/** What the passages of one run share. */
export interface TandemRun {
  model: Model
  books: Arrivals
  underWay: ItemsUnderWay
}

/**
 * A passage knows all that comes to it in the order of time, and so needs no list of events but of what is under way inside
 * it.
 */
export interface Passage {
  /** Takes items in the order of time; returns what has passed when the last of them comes, in that order. */
  take(flow: Flow): Flow
  /** What is left when nothing more comes; it may close its books. */
  rest(): Flow
}

/** Which task of a run a passage belongs to. */
export interface Place {
  run: TandemRun
  index: number
  wiring: TaskWiring
}
