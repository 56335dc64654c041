/** HM6xx: directives, each for itself and against the others. */
import { fitsFabric, WIDEST_WINDOW } from '@hivemind/nfu'
import { pinsToDevices, roleOf } from '@hivemind/workflow'
import { parsePlace } from '../meaning/directives.ts'
import type { DirectiveDef } from '../meaning/model.ts'
import { replace } from '../meaning/report.ts'
import { statementRemoval } from '../syntax/layout.ts'
import { quoteString } from '../syntax/literal.ts'
import type { CheckContext, Fix } from '../types.ts'
import type { Checked } from './context.ts'
import { isKnown } from './relations.ts'

/** Reports directives that are for no task, given twice, impossible, or without an effect. */
export function checkDirectives(checked: Checked) {
  const first = new Map<string, DirectiveDef>()
  for (const { bound, task } of checked.model.directiveStatements)
    isKnown(checked, task, bound.statement, 'HM601')
  for (const directive of checked.model.directives) {
    const key = `${directive.task.name} ${directive.key} ${directive.field}`
    const before = first.get(key)
    if (before) checkTwice(checked, directive, before)
    else first.set(key, directive)
    if (directive.key === 'place') checkPlace(checked, directive)
    if (directive.key === 'persist') checkPersist(checked, directive)
    if (directive.key === 'schedule' && directive.field === 'onMiss') checkOnMiss(checked, directive)
    if (directive.key === 'learn') checkLearn(checked, directive)
  }
}

function removalFix(
  { text, report }: Checked,
  { bound, span, field }: DirectiveDef,
  certain: boolean,
  title = 'Remove this one',
): Fix[] {
  const { statement, spec } = bound
  const partial = spec.head === 'Task' || (field !== '' && statement.args.length > 2)
  const index = statement.args.findIndex((argument) => argument.value.from === span.from)
  if (partial && index < 0) return []
  return [
    {
      title,
      certain,
      changes: partial ? report.removal(statement.args, index) : [statementRemoval(text, statement)],
    },
  ]
}

function checkTwice(checked: Checked, directive: DirectiveDef, before: DirectiveDef) {
  const { report } = checked
  const name = directive.task.name
  const what = directive.field ? `${directive.field} of '${name}'` : `${label(directive)} of '${name}'`
  const same = JSON.stringify(directive.value) === JSON.stringify(before.value)
  if (same)
    report.add(
      'HM603',
      directive.span,
      `The ${what} is given in ${report.where(before.span)} already; remove this one.`,
      { task: name, fixes: () => removalFix(checked, directive, true) },
    )
  else
    report.add(
      'HM602',
      directive.span,
      `The ${what} is ${quoteString(before.written)} in ${report.where(before.span)} and ${quoteString(directive.written)} here; keep one.`,
      {
        task: name,
        fixes: () => removalFix(checked, directive, false),
      },
    )
}

const label = ({ key }: DirectiveDef) =>
  ({
    synchronize: 'barrier',
    schedule: 'schedule',
    isolate: 'isolation',
    place: 'placement',
    restore: 'restore policy',
    learn: 'learning',
    persist: 'persistence',
  })[key]

function checkPlace(checked: Checked, directive: DirectiveDef) {
  const { report, tasks, context } = checked
  const { task: ref, value, span } = directive
  const pin = parsePlace(value as string)
  const task = tasks.get(ref.name)
  if (!pin || !task) return
  const role = roleOf(task)
  const onNode = pinsToDevices(pin) && isEdgeNode(pin.target, context)
  if (role !== 'compute' && (!pinsToDevices(pin) || onNode)) {
    const why = task.args.role === role ? `role='${role}'` : 'it reads no data and writes some'
    report.add(
      'HM606',
      span,
      `'${task.name}' is ${role === 'actuator' ? 'an' : 'a'} ${role} (${why}), which works only on a device${onNode ? `, and not on the edge node that serves it` : ''}; write 'Edge:all'${task.args.role === undefined ? ", or give the task role='compute'" : ''}.`,
      {
        task: task.name,
        fixes: [replace("Write 'Edge:all'", span, "'Edge:all'", false)],
      },
    )
  } else if (pin.tier === 'fabric' && !task.code.startsWith('nfu:'))
    report.add(
      'HM607',
      span,
      `'${task.name}' runs code of its own; only network functions ('nfu:average' and others) can be placed on the fabric. Write another place.`,
      { task: task.name },
    )
  else if (pin.tier === 'fabric' && !fitsFabric(task.code))
    report.add(
      'HM614',
      span,
      `The fabric gives one summary for each window, of 1 to ${WIDEST_WINDOW.toLocaleString('en')} readings: '${task.code}' needs one, as in 'nfu:average?window=10'; or write another place.`,
      { task: task.name, fixes: () => removalFix(checked, directive, false, 'Leave its place open') },
    )
  if (!pinsToDevices(pin) || !context.deviceClasses) return
  const known = [...context.deviceClasses, ...(context.edgeNodes ?? []), ...(context.devices ?? [])]
  if (pin.target === 'all' ? known.length > 0 : known.includes(pin.target)) return
  if (!context.devices && /-\d+$/.test(pin.target)) return // Named like a device, and the devices are not known.
  const meant = report.nearest(pin.target, known)
  report.add(
    'HM604',
    span,
    `The fleet has no device and no class '${pin.target}'; ${meant ? `did you mean 'Edge:${meant}'?` : known.length > 0 ? `it has ${known.slice(0, 6).join(', ')}.` : 'it has no devices at all: choose another fleet.'}`,
    {
      task: task.name,
      fixes: meant ? [replace(`Write 'Edge:${meant}'`, span, quoteString(`Edge:${meant}`), true)] : [],
    },
  )
}

/** Whether `Edge:NAME` names edge nodes and no class of devices. */
export const isEdgeNode = (name: string, { edgeNodes, deviceClasses }: CheckContext): boolean =>
  edgeNodes?.includes(name) === true && deviceClasses?.includes(name) !== true

function checkPersist({ text, report, tasks }: Checked, { task: ref, bound }: DirectiveDef) {
  const task = tasks.get(ref.name)
  if (task && task.dataOut === null)
    report.add(
      'HM608',
      bound.statement,
      `'${task.name}' writes no data, so there is nothing to keep; give it a dataOut, or remove this.`,
      {
        task: task.name,
        fixes: () => [
          { title: 'Remove it', certain: false, changes: [statementRemoval(text, bound.statement)] },
        ],
      },
    )
}

function checkOnMiss({ report, tasks }: Checked, { task: { name }, span }: DirectiveDef) {
  const schedule = tasks.get(name)?.directives.schedule
  if (schedule && !schedule.deadline)
    report.add(
      'HM611',
      span,
      `'${name}' has no deadline that it could miss; give the Schedule a deadline, or remove onMiss.`,
      { task: name },
    )
}

function checkLearn({ report }: Checked, { task: { name }, value, span }: DirectiveDef) {
  if (value === 'Off') return
  report.add(
    'HM613',
    span,
    'Learn has no effect in a run yet, since nothing retrains a model. The plan keeps it, and so does a simulation with learning.',
    { task: name },
  )
}
