/** Exact times in the system (waiting and service) of queues that have a closed form. Times in any one unit. */

export interface Exact {
  mean: number
  p50: number
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
  return { mean: service + c / theta, p50: quantile(distribution, 0.5), p99: quantile(distribution, 0.99) }
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
    p99: service * (1 + quantile(waited, 0.99)),
  }
}
