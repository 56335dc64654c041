/** The work of an exploration: estimates placements by closed form, chooses, and simulates, with pauses for others. */
import {
  type Candidate,
  type Estimate,
  estimatedTiers,
  type Placement,
  type Proof,
  type TierRow,
  violationsOf,
} from '@hivemind/swarm'
import { estimateClosedForm, type Model, modelBuilder } from '@hivemind/swarm-sim'
import { topologicalOrder } from '@hivemind/workflow'
import {
  allChoices,
  baselineOf,
  type Choice,
  choiceAt,
  idOf,
  paretoSearch,
  placementOf,
  type Space,
} from './candidates.ts'
import { contentionFree } from './contention-free.ts'
import { frontRows, frontSteps } from './exact/index.ts'
import type { ExploreInput } from './input.ts'
import { dominates, frontOf, objectivesOf } from './pareto.ts'
import { areTied, intervalOf, REPLICATIONS, type Replicated, replications } from './replications.ts'
import type { SimulationJob } from './simulators.ts'

/** Up to this many candidates are all simulated; of more, only the closed form's front and the baselines. */
const MAX_SIMULATED = 256
/** Minimum number of listed candidates; with very many tasks fewer than `MAX_SIMULATED` are listed. */
const MIN_LISTED = 12
const OBJECTIVES = 4
/** Closed forms of single tasks (placements times tasks) and placements that the search may compute when there are too many to list. */
const MAX_SEARCH_TASK_ESTIMATES = 80_000
const MAX_SEARCH_PLACEMENTS = 4_000
/** Labels of the front without contention: bounds for one layer, and for all tasks together. */
const MAX_FILTER_LABELS = 2_000
const MIN_FILTER_LABELS = 200
const MAX_FILTER_LABELS_TOTAL = 200_000
/** Partial placements that the front without contention may try: about as much work as its labels. */
const MAX_FILTER_TRIES = 500_000
/** Bounds of the items of sensor data simulated for one candidate. */
export const MAX_ITEMS = 40_000
const MIN_ITEMS = 200
/** Items times tasks simulated for all candidates together; bounds the time of an exploration. */
const MAX_INVOCATIONS = 12_000_000
/** Closed forms of single tasks between two pauses. */
const TASK_ESTIMATES_PER_PAUSE = 1_500
/** Minimum time between two pauses: a turn of the event loop takes 1 ms, in a browser 4 ms. */
const MIN_PAUSE_INTERVAL_MS = 8
/** Progress at the end of the filter, and at the end of the closed forms, when simulations follow. */
const FILTER_PROGRESS_SHARE = 0.2
const SEARCH_PROGRESS_SHARE = 0.5

/** The placements to list, and how they were found. */
export interface Chosen {
  choices: Choice[]
  proof: Proof
}

/** Thrown when the caller asks to finish with the candidates simulated so far. */
export class Finished extends Error {}

/** One exploration in progress. */
export class Work {
  readonly space: Space
  readonly #input: ExploreInput
  /** For each tier that some task may run on, the choice in which every task that may run on it does. */
  readonly #baselines: { tier: TierRow; choice: Choice; key: string }[]
  /** Maximum number of placements that the search estimates. */
  readonly budget: number
  /** Maximum number of listed placements when not all are. */
  readonly #maxListed: number
  /** Closed forms between two pauses. */
  readonly #pauseEvery: number
  readonly #build: (placement: Placement) => Model
  /** Approximate number of items of sensor data in a run. */
  readonly #items: number
  #fraction = 0
  /** Time of the last pause, in ms since the epoch. */
  #paused = 0

  constructor(input: ExploreInput, space: Space) {
    this.#input = input
    this.space = space
    const allowed = new Set(space.allowed.flat())
    this.#baselines = estimatedTiers(input.tiers)
      .filter(({ id }) => allowed.has(id))
      .map((tier) => {
        const choice = baselineOf(space, tier.id)
        return { tier, choice, key: choice.join() }
      })
    this.#build = modelBuilder(input)
    const { tasks } = this.#model((this.#baselines[0] as { choice: Choice }).choice)
    const devices = input.fleet.devices.reduce((sum, each) => sum + each.count, 0)
    const perDevice = Math.max(1, ...tasks.map((task) => (task.gap ? task.outputs : 1)))
    this.#items = devices * perDevice
    const items = Math.min(MIN_ITEMS, this.#items)
    this.#pauseEvery = Math.max(1, Math.floor(TASK_ESTIMATES_PER_PAUSE / Math.max(1, tasks.length)))
    const affordable = Math.floor(MAX_INVOCATIONS / (items * Math.max(1, tasks.length) * REPLICATIONS))
    this.#maxListed = Math.max(MIN_LISTED, Math.min(MAX_SIMULATED, affordable))
    this.budget = Math.min(MAX_SEARCH_PLACEMENTS, Math.ceil(MAX_SEARCH_TASK_ESTIMATES / space.tasks.length))
  }

  /** Estimates all `count` placements by closed form; chooses their front, then the front of the rest, and so on. */
  async judgeAll(count: number): Promise<Chosen> {
    const rows = new Float64Array(count * OBJECTIVES)
    let done = 0
    for (const choice of allChoices(this.space)) {
      rows.set(objectivesOf(this.#closedForm(choice)), OBJECTIVES * done++)
      if (done % this.#pauseEvery === 0) await this.#pause((SEARCH_PROGRESS_SHARE * done) / count)
    }
    const chosen: number[] = []
    let left = Int32Array.from({ length: count }, (_, index) => index)
    while (chosen.length < this.#maxListed && left.length > 0) {
      const part = new Float64Array(left.length * OBJECTIVES)
      for (const [i, index] of left.entries())
        part.set(rows.subarray(index * OBJECTIVES, (index + 1) * OBJECTIVES), i * OBJECTIVES)
      const front = frontRows(part, left.length, OBJECTIVES)
      const next = [...front].map((i) => left[i] as number)
      chosen.push(...thinned(next, this.#maxListed - chosen.length))
      const gone = new Set(next)
      left = left.filter((index) => !gone.has(index))
      await this.#pause(SEARCH_PROGRESS_SHARE)
    }
    const choices = chosen.map((index) => choiceAt(this.space, index))
    return { choices: this.#withBaselines(choices), proof: { kind: 'enumerated', judged: count } }
  }

  /** Chooses placements by local search from the front of the model without contention, by closed form. */
  async search(): Promise<Chosen> {
    const models = this.#baselines.map(({ choice }) => this.#model(choice))
    const free = contentionFree(this.space, models as [Model, ...Model[]], this.#input.tiers)
    const { tasks } = free.problem
    const filter = frontSteps(free.problem, {
      maxLabels: Math.max(
        MIN_FILTER_LABELS,
        Math.min(MAX_FILTER_LABELS, Math.floor(MAX_FILTER_LABELS_TOTAL / tasks)),
      ),
      maxTries: MAX_FILTER_TRIES,
    })
    let filtered = filter.next()
    for (; !filtered.done; filtered = filter.next()) await this.#pause(FILTER_PROGRESS_SHARE * filtered.value)
    const { placements, count, epsilon } = filtered.value
    const found = Array.from({ length: count }, (_, i) => free.choiceOf(placements, i * tasks))
    const { budget } = this
    const steps = paretoSearch(
      this.space,
      [
        ...this.#baselines.map(({ choice }) => choice),
        ...thinned(found, Math.ceil(budget / 2)),
        ...this.#cuts(),
      ],
      (choice) => objectivesOf(this.#closedForm(choice)),
      budget,
    )
    let judged = 0
    let step = steps.next()
    for (; !step.done; step = steps.next()) {
      judged = step.value
      const share =
        FILTER_PROGRESS_SHARE + (SEARCH_PROGRESS_SHARE - FILTER_PROGRESS_SHARE) * (judged / budget)
      if (judged % this.#pauseEvery === 0) await this.#pause(share)
    }
    const choices = this.#withBaselines(step.value)
    const proof: Proof = Number.isFinite(epsilon)
      ? { kind: 'exact-filter', epsilon, judged: Math.max(judged, choices.length) }
      : { kind: 'heuristic', judged: Math.max(judged, choices.length) }
    return { choices, proof }
  }

  #withBaselines(choices: readonly Choice[]): Choice[] {
    const unique = new Map(this.#baselines.map(({ key, choice }) => [key, choice]))
    const others = choices.filter((choice) => !unique.has(choice.join()))
    return [...unique.values(), ...thinned(others, this.#maxListed - unique.size)]
  }

  /** All that comes early on the devices, the rest on another tier, for every point at which to cut the workflow. */
  #cuts(): Choice[] {
    const order = topologicalOrder(this.#input.workflow).map((task) => this.space.tasks.indexOf(task.name))
    const onDevices = this.#baselines.filter(({ tier }) => tier.perDevice)
    const elsewhere = this.#baselines.filter(({ tier }) => !tier.perDevice)
    return onDevices.flatMap((device) =>
      elsewhere.flatMap((other) =>
        order.map((_, cut) => {
          const early = new Set(order.slice(0, cut))
          return other.choice.map((rest, task) => (early.has(task) ? (device.choice[task] as number) : rest))
        }),
      ),
    )
  }

  /**
   * Simulates the most promising placements first, and decides the front. When finished early, only the placements simulated by
   * then are candidates; `of` is the number planned.
   */
  async candidates(choices: Choice[]): Promise<{ candidates: Candidate[]; simulated: number; of: number }> {
    const all = choices.length <= MAX_SIMULATED
    const estimates: Estimate[] = []
    for (const choice of choices) {
      estimates.push(this.#closedForm(choice))
      const done = estimates.length
      if (done % this.#pauseEvery === 0)
        await this.#pause(all ? 0 : (SEARCH_PROGRESS_SHARE * done) / choices.length)
    }
    const chosen = this.#worthSimulating(choices, estimates, all)
    const simulated = await this.#simulated(choices, chosen)
    for (const [index, { estimate }] of simulated) estimates[index] = estimate
    const finished = simulated.size < chosen.length
    // figures of the two methods are not compared with each other
    const compared = chosen.filter((index) => simulated.has(index))
    const front = new Set(
      frontOf(compared.map((index) => objectivesOf(estimates[index] as Estimate))).map((at) => compared[at]),
    )
    const listed = finished ? compared : choices.map((_, index) => index)
    const candidates = listed.map((index) =>
      this.#candidate(
        choices[index] as Choice,
        estimates[index] as Estimate,
        simulated.get(index),
        front.has(index),
      ),
    )
    const runsOf = new Map(
      candidates.map((candidate, at) => [candidate, simulated.get(listed[at] as number)?.p99sMs]),
    )
    const onFront = candidates.filter(({ pareto }) => pareto)
    for (const candidate of onFront) {
      const own = runsOf.get(candidate) ?? []
      const tied = onFront.filter((other) => other !== candidate && areTied(own, runsOf.get(other) ?? []))
      if (tied.length > 0) candidate.tiedWith = tied.map(({ id }) => id).sort()
    }
    return { candidates: candidates.sort(byLatency), simulated: simulated.size, of: chosen.length }
  }

  /** Simulates the chosen choices and reports the front so far; fewer of them when asked to finish. */
  async #simulated(choices: readonly Choice[], chosen: readonly number[]): Promise<Map<number, Replicated>> {
    const { seed, onFront } = this.#input
    const fair = Math.floor(MAX_INVOCATIONS / (chosen.length * this.space.tasks.length * REPLICATIONS))
    const maxItems = Math.max(MIN_ITEMS, Math.min(MAX_ITEMS, fair))
    const jobs = chosen.map(
      (index): SimulationJob => ({
        placement: placementOf(this.space, choices[index] as Choice),
        seed,
        maxItems,
      }),
    )
    const simulated = new Map<number, Replicated>()
    const before = this.#fraction
    let front: Candidate[] = []
    const onDone = (at: number, result: Replicated) => {
      const index = chosen[at] as number
      simulated.set(index, result)
      const candidate = this.#candidate(choices[index] as Choice, result.estimate, result, true)
      const own = objectivesOf(candidate.estimate)
      if (!front.some(({ estimate }) => dominates(objectivesOf(estimate), own))) {
        front = front.filter(({ estimate }) => !dominates(own, objectivesOf(estimate)))
        front.push(candidate)
      }
      onFront?.({ front: front.toSorted(byLatency), done: simulated.size, of: chosen.length })
      this.#report(before + ((1 - before) * simulated.size) / chosen.length)
    }
    try {
      await this.#simulate(jobs, onDone)
    } catch (error) {
      if (!(error instanceof Finished) || simulated.size === 0) throw error
    }
    return simulated
  }

  async #simulate(
    jobs: readonly SimulationJob[],
    onDone: (at: number, result: Replicated) => void,
  ): Promise<void> {
    const { workflow, fleet, profile, itemsPerDevice, simulators } = this.#input
    const items = Math.min(this.#items, jobs[0]?.maxItems ?? 0)
    const invocations = items * this.space.tasks.length * REPLICATIONS * jobs.length
    // rules are functions, which cannot be sent to another thread
    if (simulators && !this.#input.tiers && invocations >= simulators.minInvocations) {
      const scenario = { workflow, fleet, profile, itemsPerDevice }
      const running = simulators.start(scenario, jobs, onDone)
      try {
        await Promise.race([running.ended, this.#stopped()])
      } finally {
        running.stop()
      }
      return
    }
    for (const [at, job] of jobs.entries()) {
      const runs = replications(this.#build(job.placement), job)
      let run = runs.next()
      for (; !run.done; run = runs.next()) await this.#pause(this.#fraction)
      onDone(at, run.value)
      await this.#pause(this.#fraction)
    }
  }

  /** Indices in order of simulation: the baselines, the closed form's front (thinned to `MAX_SIMULATED`), then the rest when `all`. */
  #worthSimulating(choices: readonly Choice[], estimates: readonly Estimate[], all: boolean): number[] {
    const baselines = new Set(this.#baselines.map(({ key }) => key))
    const base = choices.flatMap((choice, index) => (baselines.has(choice.join()) ? [index] : []))
    const front = frontOf(estimates.map(objectivesOf))
      .filter((index) => !base.includes(index))
      .sort(
        (a, b) =>
          (estimates[a] as Estimate).latencyMs.p99 - (estimates[b] as Estimate).latencyMs.p99 || a - b,
      )
    const first = [...base, ...thinned(front, MAX_SIMULATED - base.length)]
    const known = new Set(first)
    const rest = all ? [...choices.keys()].filter((index) => !known.has(index)) : []
    return [...first, ...rest]
  }

  #candidate(
    choice: Choice,
    estimate: Estimate,
    simulated: Replicated | undefined,
    pareto: boolean,
  ): Candidate {
    const placement = placementOf(this.space, choice)
    const violations = violationsOf(this.#input.workflow.constraints, estimate)
    const key = choice.join()
    const baseline = this.#baselines.find((each) => each.key === key)
    return {
      id: idOf(placement),
      placement,
      ...(baseline ? { baseline: `all-${baseline.tier.id}` as const } : {}),
      estimate,
      method: simulated ? 'simulated' : 'closed-form',
      pareto,
      meets: violations.length === 0,
      violations,
      ...(simulated ? { p99IntervalMs: intervalOf(simulated.p99sMs) } : {}),
    }
  }

  #model(choice: Choice): Model {
    return this.#build(placementOf(this.space, choice))
  }

  #closedForm(choice: Choice): Estimate {
    return estimateClosedForm(this.#model(choice))
  }

  /** Reports progress, lets others work, and stops when asked to. Within `MIN_PAUSE_INTERVAL_MS` of the last pause it only checks for a stop. */
  async #pause(fraction: number): Promise<void> {
    this.#check()
    // a clock that has been set back must not keep others waiting
    const since = Date.now() - this.#paused
    if (since >= 0 && since < MIN_PAUSE_INTERVAL_MS) return
    this.#report(fraction)
    await nextTurn()
    this.#paused = Date.now()
    this.#check()
  }

  #report(fraction: number): void {
    this.#fraction = Math.max(this.#fraction, fraction)
    this.#input.onProgress?.(this.#fraction)
  }

  #check(): void {
    this.#input.signal?.throwIfAborted()
    if (this.#input.finish?.aborted) throw new Finished()
  }

  /** A promise that rejects when the caller asks to stop. */
  #stopped(): Promise<never> {
    return new Promise((_, reject) => {
      const look = () => {
        try {
          this.#check()
        } catch (error) {
          reject(error)
        }
      }
      this.#input.signal?.addEventListener('abort', look)
      this.#input.finish?.addEventListener('abort', look)
      look()
    })
  }
}

function byLatency(a: Candidate, b: Candidate): number {
  return (
    a.estimate.latencyMs.p99 - b.estimate.latencyMs.p99 ||
    a.estimate.energyJ - b.estimate.energyJ ||
    (a.id < b.id ? -1 : 1)
  )
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
