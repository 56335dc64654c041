import type { FabricEvent } from '@hivemind/fabric'

/** How far a build is, from its events. Half of a seed's way is placing and half is routing, about as it is for a full device. */
export class BuildProgress {
  readonly #steps: number
  #done = -1
  /** For each seed that was begun, how much of its connections is made; 1 where it was given up. */
  readonly #seeds = new Map<number, number>()
  stage = ''

  constructor(seeds: number) {
    // generation, synthesis, each seed, packing, and reading back twice
    this.#steps = 5 + seeds
  }

  add(event: Extract<FabricEvent, { kind: 'stage' | 'routing' | 'given up' }>): void {
    if (event.kind === 'routing') this.#seeds.set(event.seed, event.made / event.of)
    else if (event.kind === 'given up') this.#seeds.set(event.seed, 1)
    else if (event.seed === undefined) {
      this.stage = event.stage
      this.#done++
    } else {
      this.stage = `${event.stage}, seed ${event.seed}`
      this.#seeds.set(event.seed, 0)
    }
  }

  /** 0 to 0.95: only the end is 1. */
  get fraction(): number {
    const seeds = [...this.#seeds.values()].reduce(
      (sum, routed) => sum + (routed === 0 ? 0 : (1 + routed) / 2),
      0,
    )
    return Math.min((Math.max(0, this.#done) + seeds) / this.#steps, 0.95)
  }

  get message(): string {
    const routing = [...this.#seeds].filter(([, routed]) => routed > 0 && routed < 1)
    if (routing.length === 0) return `${this.stage} ...`
    const shares = routing.map(([seed, routed]) => `seed ${seed} ${Math.floor(100 * routed)} %`)
    return `place and route, connections made: ${shares.join(', ')}`
  }
}
