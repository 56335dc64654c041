/** What a run of a plan must give, computed directly: every invocation with the items it reads and emits. */
import type { Plan, PlanTask } from '@hivemind/synthesis'

/** Items that an invocation emits; the same key always the same. */
export type Behaviour = (task: string, device: string, seq: number) => number

export interface Expected {
  /** Keys of all invocations, `task device seq`, with the values they read. */
  invocations: Map<string, string[]>
  /** Value of each output by key; what a barrier that does not wait for all makes of it is not determined. */
  outputs: Map<string, string>
  /** Tasks below a barrier that opens early. */
  undetermined: Set<string>
}

/** A short digest of a text. */
export function digest(text: string): string {
  let hash = 2166136261
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 16777619)
  return (hash >>> 0).toString(36)
}

/** The value that an invocation emits: a digest of where it comes from. */
export const valueBy = (
  task: string,
  device: string,
  seq: number,
  inputs: readonly (readonly [string, string])[],
): string =>
  digest(
    `${task} ${device} ${seq} ${[...inputs]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, value]) => `${name}=${value}`)
      .join(' ')}`,
  )

/** What a task keeps after an invocation: a digest of all it has read so far, in order. */
export const nextState = (before: string, inputs: readonly (readonly [string, string])[]): string =>
  digest(
    `${before} then ${inputs
      .map(([name, value]) => `${name}=${value}`)
      .sort()
      .join(' ')}`,
  )

/** Runs a plan in the head. `scattered` says whether a swarm-wide task's result is divided among the devices. */
export function expectedOf(
  plan: Plan,
  devices: readonly string[],
  behaviour: Behaviour,
  maxItems: number,
): Expected {
  const byName = new Map(plan.tasks.map((task) => [task.name, task]))
  /** Items by task, then device, then number. */
  const items = new Map<string, Map<string, Map<number, string>>>()
  const invocations = new Map<string, string[]>()
  const undetermined = new Set<string>()
  const outputs = new Map<string, string>()
  const perDevice = ({ scope }: PlanTask): boolean => scope !== 'swarm'
  for (const task of plan.tasks) {
    const own = new Map<string, Map<number, string>>()
    items.set(task.name, own)
    const early = task.barrier !== undefined && task.barrier.kind !== 'all'
    if (early || task.parents.some((parent) => undetermined.has(parent))) undetermined.add(task.name)
    for (const device of perDevice(task) ? devices : ['*']) {
      const emitted = new Map<number, string>()
      own.set(device, emitted)
      let state = ''
      for (const [seq, read] of callsOf(task, device)) {
        const inputs: [string, string][] = task.stateKey === undefined ? read : [...read, ['state', state]]
        state = nextState(state, read)
        invocations.set(
          `${task.name} ${device} ${seq}`,
          read.map(([, value]) => value),
        )
        const count = Math.min(
          behaviour(task.name, device, seq),
          task.kindIn === 'stream' || task.kindOut === 'object' ? 1 : maxItems,
        )
        for (let index = 0; index < count; index++) {
          const number = task.kindIn === 'stream' ? seq : index
          emitted.set(number, valueBy(task.name, device, number, inputs))
        }
      }
      if (task.children.length === 0)
        for (const [number, value] of emitted) outputs.set(`${task.name} ${device} ${number}`, value)
    }
  }
  return { invocations, outputs, undetermined }

  function callsOf(task: PlanTask, device: string): [number, [string, string][]][] {
    if (task.parents.length === 0) return [[0, []]]
    const fixed: [string, string][] = []
    const streams: [string, Map<number, string>][] = []
    for (const name of task.parents) {
      const parent = byName.get(name) as PlanTask
      const of = items.get(name) as Map<string, Map<number, string>>
      const collects = task.barrier !== undefined || (task.scope === 'swarm' && parent.scope !== 'swarm')
      if (collects) {
        const all = [...of].flatMap(([from, own]) =>
          [...own].map(([number, value]) => `${from}/${number}/${value}`),
        )
        fixed.push([name, `[${all.sort().join(',')}]`])
        continue
      }
      const own = of.get(parent.scope === 'swarm' ? '*' : device) ?? new Map<number, string>()
      if (parent.kindOut === 'stream') streams.push([name, own])
      else {
        const value = own.get(0)
        if (value === undefined) return []
        fixed.push([name, value])
      }
    }
    if (streams.length === 0) return [[0, fixed]]
    const [first] = streams
    return [...(first?.[1].keys() ?? [])]
      .filter((seq) => streams.every(([, own]) => own.has(seq)))
      .sort((a, b) => a - b)
      .map((seq) => [
        seq,
        [...fixed, ...streams.map(([name, own]): [string, string] => [name, own.get(seq) as string])],
      ])
  }
}
