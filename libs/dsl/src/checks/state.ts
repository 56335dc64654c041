/** The task argument `state`: its form (HM205), and HM810 where it has no effect. */
import { isOp, OPS } from '@hivemind/nfu'
import type { Task } from '@hivemind/workflow'
import type { TaskDef } from '../meaning/model.ts'
import { replace } from '../meaning/report.ts'
import { quoteString } from '../syntax/literal.ts'
import type { Argument } from '../syntax/syntax.ts'
import type { Checked } from './context.ts'

/** Checks `argument`, the `state` of a task. */
export function checkState(checked: Checked, definition: TaskDef, { value }: Argument) {
  const { report, tasks } = checked
  if (value.kind === 'none' || value.kind === 'bad') return
  const name = definition.ref.name
  if (value.kind !== 'string' || value.value.trim() === '') {
    const word = value.kind === 'name' ? value.name : null
    report.add('HM205', value, "A state is a text: write 'device', or the name of a field of the input.", {
      task: name,
      fixes: word === null ? [] : [replace(`Write '${word}'`, value, quoteString(word), true)],
    })
    return
  }
  const task = tasks.get(name)
  const key = value.value
  if (!task || checked.definitions.get(name) !== definition) return
  if (key !== 'device' && key.trim().toLowerCase() === 'device')
    report.add('HM810', value, `'${key}' is taken for a field of the input; did you mean 'device'?`, {
      task: name,
      fixes: [replace("Write 'device'", value, "'device'", false)],
    })
  else {
    const reason = uselessState(checked, task, key)
    if (reason) report.add('HM810', value, reason, { task: name })
  }
}

/** Why a state has no effect, as a sentence; `null` when it has one. */
function uselessState({ kinds }: Checked, task: Task, key: string): string | null {
  const op = /^nfu:(\w+)/.exec(task.code)?.[1]
  if (op !== undefined && isOp(op) && !OPS[op].stateful)
    return `The network function '${op}' keeps no state; remove this argument.`
  if (key !== 'device' && task.directives.synchronize)
    return `'${task.name}' is a barrier: its input is a list, which has no field '${key}'. Write 'device', which is one state for the swarm.`
  if (key !== 'device' && task.dataIn.length === 0)
    return `'${task.name}' reads no data, so no input has a field '${key}'; write 'device'.`
  const kind = kinds?.get(task.name)
  if (kind?.in === 'object' && kind.out === 'object')
    return `'${task.name}' is called once and gives one object, so no later item reads its state; remove this argument, or let it read or write a stream.`
  return null
}
