/** A run from its journal: the same events give the same state and effects, from whatever event on. */
import type { Plan } from '@hivemind/synthesis'
import type { CoreEffect } from '../src/core/events.ts'
import { compileForService } from '../src/core/plan.ts'
import { restore, snapshot } from '../src/core/snapshot.ts'
import { newRunState, type RunState } from '../src/core/state.ts'
import { step } from '../src/core/step.ts'
import type { WorldResult } from './world.ts'

interface Replay {
  state: RunState
  effects: CoreEffect[]
  problems: string[]
}

const same = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0

/**
 * Replays the journal of a run twice: once without a break, once killed and restored from its snapshot at every event.
 * Both must have the same state, byte for byte, and the same effects, after every event.
 */
export function replay(plan: Plan, devices: readonly string[], { journal, core }: WorldResult): Replay {
  const compiled = compileForService(
    plan,
    devices.map((name) => ({ name, class: 'drone' })),
  )
  const state = newRunState(compiled, core)
  let broken = newRunState(compiled, core)
  const all: CoreEffect[] = []
  const problems: string[] = []
  for (const [index, event] of journal.entries()) {
    const [effects, again]: [CoreEffect[], CoreEffect[]] = [[], []]
    step(state, event, effects)
    broken = restore(compiled, snapshot(broken))
    step(broken, event, again)
    if (!same(snapshot(state), snapshot(broken)))
      problems.push(`After event ${index} (${event.type}), a restored run has another state.`)
    if (JSON.stringify(effects) !== JSON.stringify(again))
      problems.push(`At event ${index} (${event.type}), a restored run has other effects.`)
    all.push(...effects)
    if (problems.length > 0) break
  }
  return { state, effects: all, problems }
}

/** The replay ends as the run did, gives its outputs, and its counters are what happened. */
export function replayProblems(plan: Plan, devices: readonly string[], result: WorldResult): string[] {
  const { state, effects, problems } = replay(plan, devices, result)
  if (problems.length > 0) return problems
  const end = effects.find((effect) => effect.type === 'end')
  if (end?.state !== result.outcome.state)
    problems.push(`The replay ended as ${end?.state}, the run as ${result.outcome.state}.`)
  const keys = effects.flatMap((effect) =>
    effect.type === 'output'
      ? [
          `${state.plan.tasks[effect.task]?.plan.name} ${state.plan.devices[effect.device]?.name ?? '*'} ${effect.seq}`,
        ]
      : [],
  )
  const given = result.outputs.map(({ task, device, seq }) => `${task} ${device} ${seq}`)
  if (keys.join() !== given.join()) problems.push('The replay gives other outputs than the run.')
  return [...problems, ...counterProblems(state, effects, result)]
}

/** The counters of each task are the sums of what was reported about it. */
function counterProblems(
  state: RunState,
  effects: readonly CoreEffect[],
  { journal }: WorldResult,
): string[] {
  const problems: string[] = []
  const doneAt = new Map(
    journal.flatMap((event) =>
      event.type === 'done' && event.delivery !== undefined ? [[event.delivery, event.at] as const] : [],
    ),
  )
  for (const { id, local, plan } of state.plan.tasks) {
    const ends = effects.flatMap((effect) => (effect.type === 'ended' && effect.task === id ? [effect] : []))
    const well = ends.filter(({ givenUp }) => !givenUp)
    const wellKeys = new Set(well.map(({ device, seq }) => `${device} ${seq}`))
    const dropped = ends.filter(({ givenUp, missed }) => givenUp && missed).length
    const counts = state.tasks[id]
    const late = local
      ? effects.filter(
          (effect) =>
            effect.type === 'dispatch' &&
            effect.task === id &&
            (doneAt.get(effect.delivery) ?? 0) > effect.dueAt &&
            wellKeys.has(`${effect.device} ${effect.seq}`),
        ).length
      : well.filter(({ missed }) => missed).length
    const expected = { done: wellKeys.size, missed: late + dropped, dropped }
    const told = { done: counts?.done, missed: counts?.missed, dropped: counts?.dropped }
    if (JSON.stringify(expected) !== JSON.stringify(told))
      problems.push(
        `'${plan.name}' counts ${JSON.stringify(told)}, and what happened is ${JSON.stringify(expected)}.`,
      )
    if (well.length !== wellKeys.size) problems.push(`An invocation of '${plan.name}' counted twice.`)
  }
  return problems
}
