/**
 * Waiting times of queues in closed form. Steady state: Erlang's C formula for the M/M/c queue, corrected for other
 * distributions by the Allen-Cunneen factor (ca2 + cs2) / 2, which is exact for M/M/c and, with one server, for M/G/1
 * (Pollaczek-Khinchine). Arrivals come from clocks (sensors), which bunch up less than random arrivals do, and a run is
 * finite, so a queue near saturation has no steady state: there, the wait is bounded by that of a critical queue of as
 * many clocks and customers. Above saturation it also grows with the run as a fluid.
 */

export interface Wait {
  /** Mean and variance of the random part of the wait, in ms. */
  mean: number
  variance: number
  /** Wait of the run's last customer for want of capacity: grows evenly from 0 over the run, in ms. */
  backlog: number
}

export interface Load {
  servers: number
  /** Customers of the run. */
  customers: number
  /** Time over which they arrive, in ms. */
  spanMs: number
  /** Mean service time in ms, and squared coefficient of variation. */
  serviceMs: number
  serviceScv: number
  /** How many clocks send the customers, each at its own phase; infinitely many are as good as random arrivals. */
  sources: number
}

/** Mean of the absolute value of a standard normal variable: sqrt(2 / pi). */
const HALF_NORMAL_MEAN = 0.7978845608028654
/** Mean of the maximum of a Brownian bridge: sqrt(pi / 8). */
const BRIDGE_MAXIMUM = 0.6266570686577501

/** Erlang's C: the share of customers that wait in an M/M/c queue with `load` = arrival rate times service time < c. */
export function erlangC(servers: number, load: number): number {
  if (load <= 0) return 0
  if (load >= servers) return 1
  let blocking = 1
  for (let n = 1; n <= servers; n++) blocking = (load * blocking) / (n + load * blocking)
  return blocking / (1 - (load / servers) * (1 - blocking))
}

/** Wait of one customer of a run that offers `load` to a queue. */
export function waitOf(load: Load): Wait {
  const { servers, customers, spanMs, serviceMs } = load
  if (customers <= 1 || serviceMs <= 0) return { mean: 0, variance: 0, backlog: 0 }
  const work = customers * serviceMs
  if (spanMs <= 0) {
    const backlog = Math.max(0, work / servers - serviceMs)
    return { mean: 0, variance: 0, backlog }
  }
  const offered = work / spanMs
  const utilisation = offered / servers
  const one = serviceMs / servers
  // clocks of one period bunch up at most as a Brownian bridge does; varying service times add up over the run
  const bunched = load.sources > 1 ? one * BRIDGE_MAXIMUM * Math.sqrt(load.sources) : 0
  const added = ((HALF_NORMAL_MEAN * 2) / 3) * one * Math.sqrt(load.serviceScv * customers)
  const critical = Math.sqrt(bunched * bunched + added * added)
  const backlog = Math.max(0, work / servers - spanMs)
  if (utilisation >= 1) {
    // the more a queue is overloaded, the less its randomness adds to the mean
    const mean = critical > 0 ? (critical * critical) / (critical + backlog) : 0
    return { mean, variance: 0.6 * mean * mean, backlog }
  }
  const waiting = erlangC(servers, offered)
  // the mean wait of M/D/c, in Allen and Cunneen's approximation
  const half = (waiting * one) / (2 * (1 - utilisation))
  const mean = Math.min(load.sources > 1 ? half : 0, bunched) + Math.min(half * load.serviceScv, added)
  // those that wait at all do so for an about exponential time
  const variance = waiting > 0 ? Math.max(0, 2 * mean * (mean / waiting) - mean * mean) : 0
  return { mean, variance: Math.min(variance, 2 * critical * critical), backlog }
}

/** 99% and 50% points of the standard normal distribution. */
const NORMAL = { p50: 0, p99: 2.3263478740408408 }

/**
 * Quantile of a positive quantity of known mean and variance, taken as gamma distributed (Wilson-Hilferty), plus a
 * backlog that grows evenly over the run.
 */
export function quantile(which: 'p50' | 'p99', mean: number, variance: number, backlog: number): number {
  const share = which === 'p50' ? 0.5 : 0.99
  if (mean <= 0) return share * backlog
  const ninth = variance / (9 * mean * mean)
  const root = Math.max(0, 1 - ninth + NORMAL[which] * Math.sqrt(ninth))
  return mean * root * root * root + share * backlog
}
