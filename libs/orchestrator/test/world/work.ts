/** Task code of the world: takes a while, emits what the behaviour says, keeps state, now and then fails. */
import type { EncodedValue, ValueRef } from '@hivemind/values'
import type { DeviceWork, EmittedValue, TaskInputRef } from '../../src/device/ports.ts'
import { WorkFailure } from '../../src/service/ports.ts'
import { type Behaviour, nextState, valueBy } from '../oracle.ts'
import type { Rng } from '../random-plan.ts'
import type { Clock } from './clock.ts'

/** One moment in the life of an invocation. `cut`: its machine was killed, or it was taken back. */
export interface WorkNote {
  /** Counts invocations, repetitions included: the moments of one share it. */
  call: number
  key: string
  task: string
  device: string
  seq: number
  phase: 'begin' | 'end' | 'failed' | 'cut'
  inputs: string[]
  /** A device's name, or `cloud`. */
  where: string
  at: number
}

type Job = Pick<DeviceWork, 'task' | 'seq' | 'inputs' | 'firstItem' | 'maxItems' | 'state'>

/** Where and for whom task code runs. */
export interface Place {
  /** Device whose item it is, or `*`. */
  device: string
  where: string
  /** Told how to end it from outside. */
  onCall: (cut: () => void) => void
}

const text = new TextEncoder()

export const encoded = (value: string): EncodedValue => ({ type: 'text/plain', bytes: text.encode(value) })

export const textOf = (value: ValueRef | null): string =>
  value?.kind === 'inline' ? new TextDecoder().decode(value.bytes) : 'nothing'

/** The inputs of an invocation as texts, by name of the parent. */
function read(inputs: Record<string, TaskInputRef>): [string, string][] {
  return Object.entries(inputs).map(([data, input]) => {
    const name = data.replace(/Out$/, '')
    if (input.kind === 'none') return [name, 'nothing']
    if (input.kind === 'one') return [name, textOf(input.ref)]
    const items = input.items.map((item) => `${item.device}/${item.seq}/${textOf(item.ref)}`)
    return [name, `[${items.sort().join(',')}]`]
  })
}

export class Work {
  readonly notes: WorkNote[] = []
  readonly #clock: Clock
  readonly #behaviour: Behaviour
  readonly #random: Rng
  readonly #faults: { crash: number; throws: number }
  #calls = 0

  constructor(clock: Clock, behaviour: Behaviour, random: Rng, faults: { crash: number; throws: number }) {
    this.#clock = clock
    this.#behaviour = behaviour
    this.#random = random
    this.#faults = faults
  }

  /** Runs one invocation. Never settles when it is cut; rejects with a `WorkFailure`. */
  async perform(
    { task, seq, inputs, firstItem, maxItems, state }: Job,
    { device, where, onCall }: Place,
    emit: (item: EmittedValue, index: number) => Promise<void> | void,
  ): Promise<{ items: number; state?: Uint8Array }> {
    const parts = read(inputs)
    const call = ++this.#calls
    let open = true
    const note = (phase: WorkNote['phase']): void => {
      if (!open) return
      open = phase === 'begin'
      this.notes.push({
        ...{ call, key: `${task.name} ${device} ${seq}`, task: task.name, device, seq, phase, where },
        inputs: parts.map(([, value]) => value),
        at: this.#clock.now,
      })
    }
    const wait = async (ms: number): Promise<void> => {
      await new Promise<void>((resolve) => this.#clock.after(ms, resolve))
      if (!open) await new Promise(() => {})
    }
    note('begin')
    onCall(() => note('cut'))
    await wait(this.#random() * 20)
    this.#mayFail(note)
    const whole = this.#itemsOf(task.name, device, seq, note)
    const once = task.kindIn === 'stream' || task.kindOut === 'object'
    const count = once ? Math.min(1, whole) : Math.max(0, Math.min(maxItems, whole - firstItem))
    const before = task.stateKey === undefined ? null : state ? new TextDecoder().decode(state) : ''
    const known: [string, string][] = before === null ? parts : [...parts, ['state', before]]
    for (let index = 0; index < count; index++) {
      const number = task.kindIn === 'stream' ? seq : firstItem + index
      const saves = !once && task.restore === 'checkpoint' && number % 2 === 0
      const item = { value: encoded(valueBy(task.name, device, number, known)) }
      await emit(saves ? { ...item, state: text.encode(`after ${number}`) } : item, index)
      if (!open) await new Promise(() => {})
      if (index + 1 < count) await wait(this.#random() * 5)
      this.#mayFail(note, 0.2)
    }
    note('end')
    return before === null ? { items: count } : { items: count, state: text.encode(nextState(before, parts)) }
  }

  /** A behaviour may throw a `WorkFailure` of its own. */
  #itemsOf(task: string, device: string, seq: number, note: (phase: 'failed') => void): number {
    try {
      return this.#behaviour(task, device, seq)
    } catch (error) {
      note('failed')
      throw error
    }
  }

  #mayFail(note: (phase: 'failed') => void, scale = 1): void {
    const draw = this.#random()
    const { crash, throws } = this.#faults
    if (draw >= (crash + throws) * scale) return
    note('failed')
    throw draw < crash * scale ? new WorkFailure('crash', 'Boom.') : new WorkFailure('exception', 'No.')
  }
}
