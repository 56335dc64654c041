/** Exact times in the system (waiting and service) of queues that have a closed form. Times in any one unit. */

export interface Exact {
  mean: number
  p50: number
  p95: number
  p99: number
}

/** Smallest t with distribution(t) >= share, by halving. */
function quantile(distribution: (t: number) => number, share: number): number {
  let high = 1
  while (distribution(high) < share) high *= 2
  let low = 0
  for (let step = 0; step < 80; step++) {
    const middle = (low + high) / 2
    if (distribution(middle) < share) low = middle
    else high = middle
  }
  return high
}

/** Probability that a customer of M/M/c has to wait (Erlang C), from the recursion of Erlang B. */
function waits(servers: number, load: number): number {
  const offered = servers * load
  let blocked = 1
  for (let c = 1; c <= servers; c++) blocked = (offered * blocked) / (c + offered * blocked)
  return blocked / (1 - load * (1 - blocked))
}

/** M/M/c: with probability 1 - C only the service, else an exponential wait before it. */
export function mmc(servers: number, load: number, service: number): Exact {
  const c = waits(servers, load)
  const mu = 1 / service
  const theta = servers * mu * (1 - load)
  const distribution = (t: number) => {
    const served = Math.exp(-mu * t)
    const both =
      Math.abs(theta - mu) < 1e-9 * mu
        ? served * (1 + mu * t)
        : (mu * Math.exp(-theta * t) - theta * served) / (mu - theta)
    return 1 - (1 - c) * served - c * both
  }
  return {
    mean: service + c / theta,
    p50: quantile(distribution, 0.5),
    p95: quantile(distribution, 0.95),
    p99: quantile(distribution, 0.99),
  }
}

/** M/D/1: Crommelin's sum for the wait; its terms alternate, which doubles bear up to some twenty services. */
export function md1(load: number, service: number): Exact {
  const waited = (t: number) => {
    let sum = 0
    for (let k = 0; k <= t; k++) {
      const x = load * (k - t)
      let term = Math.exp(-x)
      for (let i = 1; i <= k; i++) term *= x / i
      sum += term
    }
    return (1 - load) * sum
  }
  return {
    mean: service * (1 + load / (2 * (1 - load))),
    p50: service * (1 + (waited(0) >= 0.5 ? 0 : quantile(waited, 0.5))),
    p95: service * (1 + quantile(waited, 0.95)),
    p99: service * (1 + quantile(waited, 0.99)),
  }
}

/**
 * M/M/c with processor sharing. The mean is that of M/M/c. The rest is worked out as what it is: a customer that finds n
 * others (as many as there are at any time) shares with them and with those that come, step by step of a chain in discrete
 * time (uniformisation).
 */
export function mmcShared(cores: number, load: number, service: number): Exact {
  const mu = 1 / service
  const lambda = cores * load * mu
  const most = 400
  const each = (n: number) => mu * Math.min(1, cores / n)
  let inside = Array.from({ length: most }, () => 0)
  inside[0] = 1
  for (let n = 1; n < most; n++) inside[n] = ((inside[n - 1] ?? 0) * lambda) / (n * each(n))
  const sum = inside.reduce((all, share) => all + share, 0)
  inside = inside.map((share) => share / sum)
  const rate = lambda + cores * mu
  // the share of customers that are still there after so many steps
  const left: number[] = []
  for (let step = 0; step === 0 || (left[step - 1] ?? 0) > 1e-7; step++) {
    left.push(inside.reduce((all, share) => all + share, 0))
    const next = Array.from({ length: most }, () => 0)
    for (const [others, share] of inside.entries()) {
      const end = each(others + 1)
      const move = (to: number, at: number) => {
        next[to] = (next[to] ?? 0) + (share * at) / rate
      }
      if (others + 1 < most) move(others + 1, lambda)
      if (others > 0) move(others - 1, others * end)
      move(others, rate - (others + 1 < most ? lambda : 0) - (others + 1) * end)
    }
    inside = next
  }
  const distribution = (t: number) => {
    // Poisson shares of so many steps in t, from their logarithm, as the first is too small for a double
    let still = 0
    let log = -rate * t
    for (const [step, share] of left.entries()) {
      still += share * Math.exp(log)
      log += Math.log((rate * t) / (step + 1))
    }
    return 1 - still
  }
  return {
    mean: mmc(cores, load, service).mean,
    p50: quantile(distribution, 0.5),
    p95: quantile(distribution, 0.95),
    p99: quantile(distribution, 0.99),
  }
}
