/** From the parts of an invocation to the inputs of task code, by name of the data. */
import type { Plan, PlanTask } from '@hivemind/synthesis'
import type { ValueRef } from '@hivemind/values'
import type { Part } from './core/events.ts'
import type { TaskInputRef } from './device/ports.ts'

/**
 * What parents wrote, else the run's inputs, else nothing, for every name in the task's `dataIn`.
 * `parts` are in the order of the task's parents.
 */
export function inputsOf(
  plan: Plan,
  task: PlanTask,
  parts: readonly Part[],
  runInputs: Readonly<Record<string, ValueRef>>,
): Record<string, TaskInputRef> {
  const inputs: Record<string, TaskInputRef> = {}
  for (const data of task.dataIn) {
    const slot = task.parents.findIndex((name) => writes(plan, name, data))
    const part = slot < 0 ? (runInputs[data] ?? null) : (parts[slot] ?? null)
    inputs[data] =
      part === null
        ? { kind: 'none' }
        : part.kind === 'many'
          ? {
              kind: 'many',
              items: part.items.map(({ device, seq, ref }) => ({ device, seq, ref: wholeOf(ref) })),
            }
          : { kind: 'one', ref: wholeOf(part) as ValueRef }
  }
  return inputs
}

const wholeOf = (ref: Exclude<Part, { kind: 'many' }>): ValueRef | null =>
  ref !== null && ref.kind === 'parted' ? ref.whole : ref

const writes = (plan: Plan, name: string, data: string): boolean =>
  plan.tasks.find((task) => task.name === name)?.dataOut === data
