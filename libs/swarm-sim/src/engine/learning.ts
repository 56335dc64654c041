/**
 * What it costs to retrain models while the run goes on (paper sections 4.6 and 5.4): uploads of decisions, core time, and
 * downloads of models. What it does to the quality of decisions is not simulated: the paper's text gives no figures.
 */
import { constant, TIERS } from '@hivemind/swarm'
import type { LearnScope } from '@hivemind/workflow'
import type { Model, ModelTask } from '../model/model.ts'
import type { Agenda } from './agenda.ts'
import { ROUND } from './kinds.ts'
import type { Watch } from './watch.ts'

/** Load of retraining models during a run. */
export interface Learning {
  /** Between two rounds, in ms; 30,000 without it. */
  everyMs?: number
  /** Bytes uploaded for each decision; 20,000 without it. */
  decisionBytes?: number
  /** Time to learn from one decision on the reference core, in ms; 50 without it. */
  trainMs?: number
  /** A model that is sent to a device, in bytes; 5,000,000 without it. */
  modelBytes?: number
  /** Whose decisions are learnt from, instead of what `Learn` says of each task that has it. */
  scope?: LearnScope
}

const EVERY_MS = 30_000
const DECISION_BYTES = 20e3
const TRAIN_MS = 50
const MODEL_BYTES = 5e6
/** Where training runs that is not on the devices. */
const CLOUD_SIDE = TIERS.flatMap(({ id, hardware }) =>
  hardware === 'cloud' ? [{ tier: id, hardware }] : [],
)[0]

/**
 * Checks the parameters of retraining.
 * @throws RangeError naming the field that is out of its range, or that no task learns
 */
export function checkLearning({ scope, ...numbers }: Learning, model: Model): void {
  for (const [name, value] of Object.entries(numbers))
    if (!(Number.isFinite(value) && (name === 'everyMs' ? value > 0 : value >= 0)))
      throw new RangeError(
        `'learning.${name}' must be ${name === 'everyMs' ? 'above' : 'at least'} 0, not ${value}.`,
      )
  if (!model.tasks.some((task) => task.learn))
    throw new RangeError(
      "'learning' needs a task that learns: Learn(task, 'Global') or Learn(task, 'Device').",
    )
}

/** A task that learns, and the one that trains its model. */
interface Learner {
  task: number
  training: number
  isOnDevices: boolean
  isGlobal: boolean
}

/** The model with a task more for each that learns: its training, which no other task feeds. */
export function withTraining(
  model: Model,
  learning: Learning | undefined,
): { model: Model; learners: Learner[] } {
  const learners: Learner[] = []
  if (!learning) return { model, learners }
  const { scope, trainMs = TRAIN_MS } = learning
  const tasks: ModelTask[] = [...model.tasks]
  for (const [index, task] of model.tasks.entries()) {
    const learn = task.learn && (scope ?? task.learn)
    if (!learn || learn === 'Off') continue
    const isOnDevices = task.hardware === 'devices' && !task.swarmWide
    const isGlobal = learn === 'Global'
    learners.push({ task: index, training: tasks.length, isOnDevices, isGlobal })
    tasks.push({
      ...task,
      name: `${task.name} training`,
      ...(isOnDevices && !isGlobal ? {} : CLOUD_SIDE),
      swarmWide: true,
      lanes: [],
      invocations: 0,
      outputs: 0,
      service: constant(trainMs),
      outputBytes: constant(0),
      gap: null,
      parents: [],
      barrier: null,
      priority: 0,
      deadlineMs: null,
      dropsLate: false,
      isIsolated: false,
      isStateful: false,
      inputBytes: 0,
      returnsResult: false,
    })
  }
  return { model: { ...model, tasks }, learners }
}

interface Ports {
  agenda: Agenda
  watch: Watch
  devices: number
  isUp: (device: number) => boolean
  /** Sends bytes to or from a device; returns when they arrive. */
  send: (device: number, bytes: number, isUp: boolean) => number
  /** Begins a training with so many decisions of a device, or of all. */
  train: (training: number, device: number, decisions: number, at: number) => void
}

export class Rounds {
  readonly #ports: Ports
  readonly #everyMs: number
  readonly #decisionBytes: number
  readonly #modelBytes: number
  readonly #byTask = new Map<number, Learner>()
  readonly #byTraining = new Map<number, Learner>()
  /** By task: decisions of each device since the last round. */
  readonly #decisions = new Map<number, Float64Array>()
  readonly #pending = new Set<number>()

  constructor(learning: Learning, learners: readonly Learner[], ports: Ports) {
    this.#ports = ports
    this.#everyMs = learning.everyMs ?? EVERY_MS
    this.#decisionBytes = learning.decisionBytes ?? DECISION_BYTES
    this.#modelBytes = learning.modelBytes ?? MODEL_BYTES
    for (const learner of learners) {
      this.#byTask.set(learner.task, learner)
      this.#byTraining.set(learner.training, learner)
      this.#decisions.set(learner.task, new Float64Array(ports.devices))
    }
  }

  /** Whether a task trains a model: the number of its invocation is then how many decisions it learns from. */
  trains(task: number): boolean {
    return this.#byTraining.has(task)
  }

  /** An invocation has ended: a decision to learn from, or a training. */
  ended(task: number, lane: number): void {
    const trained = this.#byTraining.get(task)
    if (trained?.isGlobal && trained.isOnDevices) this.#sendModels()
    const decisions = this.#decisions.get(task)
    if (!decisions) return
    decisions[lane] = (decisions[lane] as number) + 1
    if (this.#pending.has(task)) return
    this.#pending.add(task)
    const { agenda, watch } = this.#ports
    watch.push(ROUND, (Math.floor(agenda.now / this.#everyMs) + 1) * this.#everyMs, task)
  }

  /** It is time for a round of a task. */
  round(task: number): void {
    this.#pending.delete(task)
    const { agenda, watch, isUp, send, train } = this.#ports
    const learner = this.#byTask.get(task)
    const decisions = this.#decisions.get(task)
    if (!watch.goesOn() || !learner || !decisions) return
    let all = 0
    let ready = agenda.now
    for (const [device, count] of decisions.entries()) {
      if (count === 0 || (learner.isOnDevices && !isUp(device))) continue
      decisions[device] = 0
      all += count
      if (!learner.isGlobal) train(learner.training, device, count, agenda.now)
      else if (learner.isOnDevices) ready = Math.max(ready, send(device, count * this.#decisionBytes, true))
    }
    if (learner.isGlobal && all > 0) train(learner.training, 0, all, ready)
  }

  #sendModels(): void {
    const { devices, isUp, send } = this.#ports
    for (let device = 0; device < devices; device++) if (isUp(device)) send(device, this.#modelBytes, false)
  }
}
