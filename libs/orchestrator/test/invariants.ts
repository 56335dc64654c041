/** What must hold of every run in every world. Each check gives sentences about what does not. */
import type { Plan, PlanTask } from '@hivemind/synthesis'
import { compileForService } from '../src/core/plan.ts'
import type { RunOutput } from '../src/types.ts'
import type { Expected } from './oracle.ts'
import type { WorkNote } from './world/work.ts'
import type { WorldResult } from './world.ts'

/** Sentences that a failed run may end with, by what was injected. */
const REASONS = [
  ...[/Boom\./, /No\./, /was lost/, /was killed/, /Nothing is heard/, /is away/],
  /The service was restarted\./,
]

export function problemsOf(plan: Plan, expected: Expected, result: WorldResult): string[] {
  const { outcome, hung } = result
  if (hung) return [`The run did not end by ${result.endedAt} ms.`]
  const problems = [
    ...outputProblems(plan, expected, result),
    ...orderProblems(plan, result),
    ...barrierProblems(plan, result),
    ...restartProblems(result),
  ]
  if (outcome.state === 'failed' && !REASONS.some((reason) => reason.test(outcome.message ?? '')))
    problems.push(`The run failed without a fault that was injected: ${outcome.message}`)
  return problems
}

/** What a service has reported stands, as long as the next one has the whole journal. */
function restartProblems({ outputs, outputsBefore }: WorldResult): string[] {
  const keyOf = ({ task, device, seq }: RunOutput): string => `${task} ${device} ${seq}`
  const now = new Map(outputs.map((output) => [keyOf(output), output.value]))
  return outputsBefore
    .filter((output) => now.get(keyOf(output)) !== output.value)
    .map((output) => `The output ${keyOf(output)} was there before the service was killed, and is not after.`)
}

/** Tasks that a loss speaks of. */
function tasksInLosses({ outcome }: WorldResult): Set<string> {
  const told = outcome.losses.filter((text) => !text.startsWith('Device '))
  return new Set(told.flatMap((text) => [...text.matchAll(/'(t\d+)'/g)].map(([, name]) => name as string)))
}

/** The tasks below some, themselves included. */
function withAllBelow(plan: Plan, names: Iterable<string>): Set<string> {
  const below = new Set(names)
  for (const task of plan.tasks) if (task.parents.some((parent) => below.has(parent))) below.add(task.name)
  return below
}

/**
 * Calls that count: all of a run whose service never restarted. A service that restarts never hears of what happened before in
 * vain, and a run that fails may end before it is done again. So of the calls of each key the last counts, if it began in the
 * last life of the service or the journal has its end; of a run that failed, a call on a device counts by its end alone, since
 * what was lost before it there was not heard either. What else a journal without its last events does not know, such as a
 * barrier that opened short and said so, has not happened.
 */
function countingCalls(plan: Plan, { work, restarts, journal, devices, outcome }: WorldResult): WorkNote[] {
  const calls = work.filter(({ phase }) => phase === 'begin')
  if (restarts === 0) return calls
  const ended = new Set<string>()
  let restartedAt = Number.NEGATIVE_INFINITY
  for (const event of journal) {
    if (event.type === 'interrupted') restartedAt = event.at
    if (event.type === 'done')
      ended.add(`${plan.tasks[event.task]?.name} ${devices[event.device] ?? '*'} ${event.seq}`)
  }
  const last = new Map(calls.map((call) => [call.key, call]))
  const isHeard = ({ where }: WorkNote): boolean => where === 'cloud' || outcome.state === 'succeeded'
  return [...last.values()].filter((call) => ended.has(call.key) || (call.at >= restartedAt && isHeard(call)))
}

/** No output twice, none that should not be; every value as computed in the head; what is missing is explained by a loss. */
function outputProblems(plan: Plan, expected: Expected, result: WorldResult): string[] {
  const problems: string[] = []
  const given = new Map<string, unknown>()
  for (const { task, device, seq, value } of result.outputs) {
    const key = `${task} ${device} ${seq}`
    if (given.has(key)) problems.push(`The output ${key} came twice.`)
    given.set(key, value)
  }
  const sure = (key: string): boolean => !expected.undetermined.has(key.split(' ')[0] as string)
  const touched = withAllBelow(plan, tasksInLosses(result))
  const isTouched = (key: string): boolean => touched.has(key.split(' ')[0] as string)
  for (const [key, value] of given) {
    if (!sure(key)) continue
    if (!expected.outputs.has(key)) {
      if (!isTouched(key)) problems.push(`The output ${key} is none of the plan.`)
    } else if (expected.outputs.get(key) !== value && !isTouched(key))
      problems.push(`The output ${key} has another value than its inputs give.`)
  }
  for (const { key, inputs } of countingCalls(plan, result)) {
    if (!sure(key) || isTouched(key)) continue
    const values = expected.invocations.get(key)
    if (!values) problems.push(`${key} was called, though it is none of the plan.`)
    else if ([...values].sort().join() !== [...inputs].sort().join())
      problems.push(`${key} was called with ${inputs.join(', ')} instead of ${values.join(', ')}.`)
  }
  if (result.outcome.state === 'succeeded')
    for (const key of expected.outputs.keys())
      if (sure(key) && !given.has(key) && !isTouched(key))
        problems.push(`The output ${key} is missing, and no loss says why.`)
  return problems
}

/** A barrier that opens early has collected just as many items as it waits for, or says how many it lacks. */
function barrierProblems(plan: Plan, result: WorldResult): string[] {
  return plan.tasks.flatMap(({ name, barrier, parents }) => {
    if (!barrier || barrier.kind === 'all' || parents.length > 1) return []
    const wanted = barrier.kind === 'any' ? 1 : barrier.count
    const calls = countingCalls(plan, result).filter(({ task }) => task === name)
    const sizes = calls.map(({ inputs }) => inputs[0]?.match(/[^[\],]+/g)?.length ?? 0)
    const told = result.outcome.losses.find((text) => text.startsWith(`The barrier of '${name}'`))
    const short = Number(told?.match(/ran (\d+)/)?.[1] ?? 0)
    return sizes
      .filter((size) => size + short !== wanted)
      .map((size) => `The barrier of '${name}' opened with ${size} items instead of ${wanted}.`)
  })
}

interface Call {
  task: string
  device: string
  seq: number
  where: string
  from: number
  to: number
  /** Positions in the order of events, for moments at the same instant. */
  began: number
  ended: number
  well: boolean
}

function callsOf(notes: readonly WorkNote[]): Call[] {
  const calls = new Map<number, Call>()
  notes.forEach(({ call, task, device, seq, where, phase, at }, order) => {
    if (phase === 'begin')
      calls.set(call, {
        ...{ task, device, seq, where, from: at, to: Number.POSITIVE_INFINITY },
        ...{ began: order, ended: Number.POSITIVE_INFINITY, well: false },
      })
    else Object.assign(calls.get(call) as Call, { to: at, ended: order, well: phase === 'end' })
  })
  return [...calls.values()]
}

const overlap = (a: Call, b: Call): boolean => a.began < b.ended && b.began < a.ended

/** Tasks that keep state: in order and one at a time. `Serial`: never together, and the first before the second. */
function orderProblems(plan: Plan, result: WorldResult): string[] {
  // Work may go on for a while on an agent that nobody knows of any more.
  if (result.suspected || result.lostTail) return []
  const calls = callsOf(result.work)
  const problems: string[] = []
  const byName = new Map(plan.tasks.map((task) => [task.name, task]))
  for (const task of plan.tasks) {
    const own = calls.filter(({ task: name }) => name === task.name)
    if (task.stateKey !== undefined)
      for (const device of new Set(own.map((call) => call.device)))
        problems.push(
          ...oneAtATime(own.filter((call) => call.device === device)),
          ...inOrder(plan, result, task, device),
        )
    for (const { task: name, scope } of task.serialAfter ?? []) {
      const first = byName.get(name) as PlanTask
      const before = calls.filter(({ task }) => task === name)
      for (const b of own)
        for (const a of before)
          if ((scope === 'swarm' || (a.device === b.device && a.where === b.where)) && overlap(a, b))
            problems.push(
              `'${name}' ${a.device}/${a.seq} and '${task.name}' ${b.device}/${b.seq} overlap, in spite of Serial.`,
            )
      if (first.kindIn === 'stream' && task.kindIn === 'stream')
        problems.push(...firstThenSecond(before, own))
    }
  }
  return problems
}

/** One at a time. What was lost or taken back is called again, so order is that of the ends that count. */
function oneAtATime(calls: readonly Call[]): string[] {
  const problems: string[] = []
  for (const [at, call] of calls.entries()) {
    const previous = calls[at - 1]
    if (previous && overlap(previous, call))
      problems.push(`'${call.task}' keeps state, and items ${previous.seq} and ${call.seq} overlap.`)
  }
  return problems
}

/** The first end of each item counts, also one that was given up; those of a task that keeps state come in order. */
function inOrder(plan: Plan, { journal, devices }: WorldResult, task: PlanTask, device: string): string[] {
  const { taskByName } = compileForService(
    plan,
    devices.map((name) => ({ name, class: 'drone' })),
  )
  const id = taskByName.get(task.name)
  const seqs = journal.flatMap((event) =>
    (event.type === 'done' || event.type === 'failed') &&
    event.task === id &&
    event.device === devices.indexOf(device)
      ? [event.seq]
      : [],
  )
  const firsts = [...new Set(seqs)]
  return firsts.flatMap((seq, at) => {
    const previous = firsts[at - 1] ?? -1
    return seq > previous
      ? []
      : [`'${task.name}' keeps state, and item ${seq} of ${device} counts after ${previous}.`]
  })
}

/** For one item, the first of a pair ends (once) before the second begins, if it is called at all. */
function firstThenSecond(before: readonly Call[], own: readonly Call[]): string[] {
  return own.flatMap((b) => {
    const same = before.filter((a) => a.device === b.device && a.seq === b.seq)
    if (same.length === 0 || same.some((a) => a.ended < b.began)) return []
    return [`'${b.task}' ${b.device}/${b.seq} began before '${same[0]?.task}' had ended, in spite of Serial.`]
  })
}
