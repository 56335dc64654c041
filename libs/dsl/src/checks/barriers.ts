/** HM507, HM508, HM612: barriers. */
import { pinsToDevices, roleOf, type Task } from '@hivemind/workflow'
import type { DirectiveDef } from '../meaning/model.ts'
import { replace } from '../meaning/report.ts'
import { statementRemoval } from '../syntax/layout.ts'
import type { Fix } from '../types.ts'
import type { Checked } from './context.ts'

/** Reports barriers that have nothing to wait for, can never open, or cannot run where they must. */
export function checkBarriers(checked: Checked) {
  for (const directive of checked.model.directives) {
    const task = directive.key === 'synchronize' ? checked.tasks.get(directive.task.name) : undefined
    if (!task) continue
    checkParents(checked, directive, task)
    checkCount(checked, directive, task)
    checkTier(checked, directive, task)
  }
}

function removalOf({ text, report }: Checked, { bound: { statement, spec }, span }: DirectiveDef): Fix {
  const index = statement.args.findIndex((argument) => argument.value.from === span.from)
  const changes =
    spec.head === 'Task' ? report.removal(statement.args, index) : [statementRemoval(text, statement)]
  return { title: 'Remove the barrier', certain: false, changes }
}

function checkParents(checked: Checked, directive: DirectiveDef, { name, parents }: Task) {
  if (parents.length > 0) return
  checked.report.add(
    'HM507',
    directive.span,
    `'${name}' has no parents, so there is nothing to wait for; give it a parent, or remove the barrier.`,
    { task: name, fixes: () => [removalOf(checked, directive)] },
  )
}

/** A stream may bring any number of results; objects bring one for each parent and device. */
function checkCount({ model, report, tasks, context }: Checked, { span }: DirectiveDef, task: Task) {
  const condition = task.directives.synchronize
  if (condition?.kind !== 'count' || !context.devices || context.devices.length === 0) return
  const max = task.parents.length * context.devices.length
  const objects = task.parents.every((parent) =>
    model.data.some((data) => data.ref.name === tasks.get(parent)?.dataOut && data.fields.kind === 'object'),
  )
  if (objects && task.parents.length > 0 && condition.count > max)
    report.add(
      'HM508',
      span,
      `'${task.name}' waits for ${condition.count} results, but its parents produce ${max} on ${context.devices.length} devices; wait for fewer, or for 'all'.`,
      { task: task.name },
    )
}

/** A barrier runs once for the swarm; tasks below it may be scattered to the devices, itself it may not. */
function checkTier(checked: Checked, directive: DirectiveDef, task: Task) {
  const { report, model } = checked
  const { name } = task
  const below = 'To act on each device, put a task below it there: it gets the result, or its part of it.'
  if (pinsToDevices(task.directives.place)) {
    const pin = model.directives.find((one) => one.key === 'place' && one.task.name === name)
    const isLater = pin !== undefined && pin.span.from > directive.span.from
    report.add(
      'HM612',
      isLater ? pin.span : directive.span,
      `'${name}' is a barrier and runs once for the whole swarm, so it cannot be placed on the devices${
        pin ? ` (${report.where(isLater ? directive.span : pin.span)})` : ''
      }; place it in the cloud. ${below}`,
      {
        task: name,
        fixes: () =>
          isLater ? [replace("Write 'Cloud'", pin.span, "'Cloud'", false)] : [removalOf(checked, directive)],
      },
    )
    return
  }
  const role = roleOf(task)
  if (role === 'compute' || task.parents.length === 0) return
  const why =
    task.args.role === role
      ? `role='${role}'`
      : 'it reads no data and writes some; if it is none, let it read the data of its parents'
  report.add(
    'HM612',
    directive.span,
    `'${name}' is ${role === 'actuator' ? 'an' : 'a'} ${role} (${why}), which works on the devices, and a barrier, which runs once for the whole swarm. Make it one of the two. ${below}`,
    { task: name, fixes: () => [removalOf(checked, directive)] },
  )
}
