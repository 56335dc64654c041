/** From a workflow and a fleet to every meaningful candidate, its estimate, and the front (paper section 4.2, Fig. 8). */
import {
  type Candidate,
  completeProfile,
  deviceCount,
  type Estimate,
  type Exploration,
  type Fleet,
  itemsPerDeviceOf,
  type Placement,
  type Profile,
} from '@hivemind/swarm'
import { buildModel, estimateClosedForm, simulateScaled } from '@hivemind/swarm-sim'
import { topologicalOrder, type Workflow } from '@hivemind/workflow'
import {
  allChoices,
  baselineOf,
  type Choice,
  idOf,
  paretoSearch,
  placementOf,
  type Space,
  spaceOf,
} from './candidates.ts'
import { violationsOf } from './constraints.ts'
import { frontOf, objectivesOf } from './pareto.ts'
import { checkPlacement, countPlacements, dilemmas, tiersOf } from './rules.ts'

/** Up to so many legal placements are all listed. */
export const LISTED_LIMIT = 4096
/** Up to so many candidates are all simulated; of more, only the closed form's front and the baselines. */
export const SIMULATED_LIMIT = 256
/** Closed forms of single tasks that the search computes when there are too many placements to list. */
const SEARCH_TASKS = 80_000
const SEARCH_MOST = 4_000
/** Items of sensor data simulated for one candidate at most. */
const ITEMS_MOST = 40_000
const ITEMS_LEAST = 200
/** Items times tasks simulated for all candidates together, which bounds the time an exploration takes. */
const INVOCATIONS_TOTAL = 3_000_000
/** Closed forms between two pauses, and their share of the progress when simulations follow. */
const PAUSE_EVERY = 25
const SEARCH_SHARE = 0.5

export interface EvaluateInput {
  workflow: Workflow
  placement: Placement
  fleet: Fleet
  /** Completed with assumptions where it says nothing. */
  profile?: Profile
  /** Items each stream sensor emits on each device; without it, what the profile says. */
  itemsPerDevice?: number
  seed: number
}

/** What of an AbortSignal is needed; this library knows no platform. */
export interface Cancellation {
  throwIfAborted(): void
}

export interface ExploreInput extends Omit<EvaluateInput, 'placement'> {
  /** Told now and then how much is done, from 0 to 1. */
  onProgress?: (fraction: number) => void
  /** An AbortSignal; aborting it rejects the exploration with its reason. */
  signal?: Cancellation
}

/**
 * Simulates one placement; longer runs are shortened and scaled as `simulateScaled` says.
 * @throws RangeError when the placement is illegal, saying why
 */
export function evaluate(input: EvaluateInput): Estimate {
  const problems = checkPlacement(input.workflow, input.placement, input.fleet)
  if (problems.length > 0) throw new RangeError(`This placement is not possible: ${problems.join(' ')}`)
  return simulateScaled(buildModel(input), { seed: input.seed, maxItems: ITEMS_MOST })
}

/**
 * Estimates every legal placement, up to 4,096; of more, those a deterministic search finds worthwhile, and says so in
 * `note`. The same input gives the same bytes. Lets others work every few milliseconds. No legal placement at all
 * gives no candidates, and a note that says why.
 */
export async function explore(input: ExploreInput): Promise<Exploration> {
  const { workflow, fleet, seed } = input
  const profile = completeProfile(workflow, input.profile)
  const counts = countPlacements(workflow, fleet)
  const result = (candidates: Candidate[], note?: string): Exploration => ({
    schema: 'hivemind.exploration/1',
    candidates,
    front: candidates.filter((candidate) => candidate.pareto).map((candidate) => candidate.id),
    pruned: prunedOf(counts, candidates.length),
    ...(note === undefined ? {} : { note }),
    inputs: {
      seed,
      fleet: fleet.name,
      devices: deviceCount(fleet),
      profile,
      itemsPerDevice: input.itemsPerDevice ?? itemsPerDeviceOf(workflow, profile),
    },
  })
  if (counts.legal === 0n) return result([], dilemmas(workflow, fleet).join(' '))
  const work = new Work({ ...input, profile }, spaceOf(tiersOf(workflow, fleet)))
  if (counts.legal <= BigInt(LISTED_LIMIT)) return result(await work.candidates([...allChoices(work.space)]))
  const found = await work.search()
  return result(
    await work.candidates(found),
    `There are ${counts.legal} legal placements, more than the ${LISTED_LIMIT} that are listed: shown are the ` +
      `baselines and the ${found.length} best trade-offs that a search over ${work.budget} of them found by closed form.`,
  )
}

class Work {
  readonly space: Space
  readonly #input: ExploreInput
  readonly #cloud: Choice
  readonly #edge: Choice
  /** Placements the search judges at most. */
  readonly budget: number
  #fraction = 0

  constructor(input: ExploreInput, space: Space) {
    this.#input = input
    this.space = space
    this.#cloud = baselineOf(space, 'cloud')
    this.#edge = baselineOf(space, 'edge')
    this.budget = Math.min(SEARCH_MOST, Math.ceil(SEARCH_TASKS / space.tasks.length))
  }

  /** The closed form's front as far as a bounded search finds it, with the baselines. */
  async search(): Promise<Choice[]> {
    const { budget } = this
    const baselines = [this.#cloud, this.#edge]
    const steps = paretoSearch(
      this.space,
      [...baselines, ...this.#cuts()],
      (choice) => objectivesOf(this.#closedForm(choice)),
      budget,
    )
    let step = steps.next()
    for (; !step.done; step = steps.next()) {
      if (step.value % PAUSE_EVERY === 0) await this.#pause((SEARCH_SHARE * step.value) / budget)
    }
    const keys = baselines.map((choice) => choice.join())
    const others = step.value.filter((choice) => !keys.includes(choice.join()))
    const unique = keys[0] === keys[1] ? baselines.slice(0, 1) : baselines
    return [...unique, ...thinned(others, SIMULATED_LIMIT - unique.length)]
  }

  /** All that comes early on the edge, the rest in the cloud, for every point at which to cut the workflow. */
  #cuts(): Choice[] {
    const order = topologicalOrder(this.#input.workflow).map((task) => this.space.tasks.indexOf(task.name))
    return order.map((_, cut) => {
      const early = new Set(order.slice(0, cut))
      return this.#cloud.map((cloud, task) => (early.has(task) ? (this.#edge[task] as number) : cloud))
    })
  }

  async candidates(choices: Choice[]): Promise<Candidate[]> {
    const all = choices.length <= SIMULATED_LIMIT
    const estimates: Estimate[] = []
    if (!all)
      for (const choice of choices) {
        estimates.push(this.#closedForm(choice))
        const done = estimates.length
        if (done % PAUSE_EVERY === 0) await this.#pause((SEARCH_SHARE * done) / choices.length)
      }
    const chosen = all ? choices.map((_, index) => index) : this.#worthSimulating(choices, estimates)
    const fair = Math.floor(INVOCATIONS_TOTAL / (chosen.length * this.space.tasks.length))
    const maxItems = Math.max(ITEMS_LEAST, Math.min(ITEMS_MOST, fair))
    const before = this.#fraction
    for (const [done, index] of chosen.entries()) {
      const model = this.#model(choices[index] as Choice)
      estimates[index] = simulateScaled(model, { seed: this.#input.seed, maxItems })
      await this.#pause(before + ((1 - before) * (done + 1)) / chosen.length)
    }
    // figures of the two methods are not compared with each other
    const front = new Set(
      frontOf(chosen.map((index) => objectivesOf(estimates[index] as Estimate))).map((at) => chosen[at]),
    )
    const simulated = new Set(chosen)
    return choices
      .map((choice, index) =>
        this.#candidate(choice, estimates[index] as Estimate, simulated.has(index), front.has(index)),
      )
      .sort(
        (a, b) =>
          a.estimate.latencyMs.p99 - b.estimate.latencyMs.p99 ||
          a.estimate.energyJ - b.estimate.energyJ ||
          (a.id < b.id ? -1 : 1),
      )
  }

  #worthSimulating(choices: Choice[], estimates: Estimate[]): number[] {
    const baselines = [this.#cloud.join(), this.#edge.join()]
    const base = choices.flatMap((choice, index) => (baselines.includes(choice.join()) ? [index] : []))
    const front = frontOf(estimates.map(objectivesOf))
      .filter((index) => !base.includes(index))
      .sort(
        (a, b) =>
          (estimates[a] as Estimate).latencyMs.p99 - (estimates[b] as Estimate).latencyMs.p99 || a - b,
      )
    return [...base, ...thinned(front, SIMULATED_LIMIT - base.length)].sort((a, b) => a - b)
  }

  #candidate(choice: Choice, estimate: Estimate, simulated: boolean, pareto: boolean): Candidate {
    const placement = placementOf(this.space, choice)
    const violations = violationsOf(this.#input.workflow.constraints, estimate)
    const key = choice.join()
    const baseline =
      key === this.#cloud.join() ? 'all-cloud' : key === this.#edge.join() ? 'all-edge' : undefined
    return {
      id: idOf(placement),
      placement,
      ...(baseline === undefined ? {} : { baseline }),
      estimate,
      method: simulated ? 'simulated' : 'closed-form',
      pareto,
      meets: violations.length === 0,
      violations,
    }
  }

  #model(choice: Choice) {
    return buildModel({ ...this.#input, placement: placementOf(this.space, choice) })
  }

  #closedForm(choice: Choice): Estimate {
    return estimateClosedForm(this.#model(choice))
  }

  /** Tells how far it is, lets others work, and stops when asked to. */
  async #pause(fraction: number): Promise<void> {
    const { signal, onProgress } = this.#input
    signal?.throwIfAborted()
    this.#fraction = fraction
    onProgress?.(fraction)
    await nextTurn()
    signal?.throwIfAborted()
  }
}

/** Resolves in a later turn of the event loop, where the platform has one. */
function nextTurn(): Promise<void> {
  const { setTimeout } = globalThis as { setTimeout?: (resume: () => void, ms: number) => unknown }
  return setTimeout ? new Promise((resume) => setTimeout(resume, 0)) : Promise.resolve()
}

/** At most `count` of the values, evenly spaced, first and last among them. */
function thinned<T>(values: readonly T[], count: number): T[] {
  if (values.length <= count) return [...values]
  return Array.from({ length: count }, (_, index) => values[Math.floor((index * values.length) / count)] as T)
}

function prunedOf(counts: ReturnType<typeof countPlacements>, listed: number) {
  const byRule = Object.fromEntries(
    Object.entries(counts.byRule).map(([rule, count]) => [rule, Number(count)]),
  )
  const unlisted = counts.legal - BigInt(listed)
  if (unlisted > 0n) byRule['search-limit'] = Number(unlisted)
  return { count: Number(counts.product - BigInt(listed)), byRule }
}
