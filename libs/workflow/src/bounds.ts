/** The range that the quantities of a task may have. Outside of it a run could not keep its word. */
import { parseQuantity, type Quantity } from './quantity.ts'

/** Quantities with a range: the task arguments `timeout` and `memory`, the `deadline` of a `Schedule`, the `rate` of `Data`. */
export type BoundedQuantity = 'timeout' | 'memory' | 'deadline' | 'rate'

/** The smallest and largest value, both allowed. */
export interface Bounds {
  min: Quantity
  max: Quantity
}

const between = (min: string, max: string): Bounds => ({
  min: parseQuantity(min) as Quantity,
  max: parseQuantity(max) as Quantity,
})

/** The range of each bounded quantity. Timers of Node.js cannot wait longer than 24.8 days, and a day is plenty. */
export const BOUNDS: Readonly<Record<BoundedQuantity, Bounds>> = {
  timeout: between('1ms', '24h'),
  memory: between('16MB', '64GB'),
  deadline: between('1us', '24h'),
  rate: between('0.01/h', '1000000/s'),
}

/** Why a quantity is out of range, as a sentence; `null` when it is in range. */
export function boundsFault(name: BoundedQuantity, quantity: Quantity): string | null {
  const { min, max } = BOUNDS[name]
  return quantity.value >= min.value && quantity.value <= max.value
    ? null
    : `A ${name} is from ${min.text} to ${max.text}; '${quantity.text}' is ${quantity.value < min.value ? 'less' : 'more'}.`
}
