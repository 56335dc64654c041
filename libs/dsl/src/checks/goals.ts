/** HM7xx: constraints that nothing can meet, or that contradict each other. */
import { parseQuantity } from '@hivemind/workflow'
import type { Checked } from './context.ts'

/** Reports constraints that nothing can meet or that contradict each other, and deadlines beyond them. */
export function checkGoals({ model, report }: Checked) {
  const limits = new Map(
    model.constraints.flatMap(({ entry, constraint }) =>
      constraint ? [[constraint.key, { entry, limit: constraint.limit }] as const] : [],
    ),
  )
  for (const [key, { entry, limit }] of limits) {
    if ((key === 'execTime' || key === 'latency') && limit.value === 0)
      report.add('HM705', entry.value, 'Nothing takes no time at all; write a longer one.')
    if (limit.dimension === 'share' && limit.value > 1)
      report.add('HM705', entry.value, 'A battery has 100%; write at most that.')
  }
  const job = limits.get('execTime')
  const latency = limits.get('latency')
  if (job && latency && latency.limit.value > job.limit.value) {
    const [later, earlier] = latency.entry.from > job.entry.from ? [latency, job] : [job, latency]
    report.add(
      'HM704',
      later.entry,
      `One result may take ${latency.limit.text} (latency), but the whole job only ${job.limit.text} (execTime, see ${report.where(earlier.entry)}); make the latency the shorter one.`,
    )
  }
  for (const directive of model.directives) {
    if (directive.key !== 'schedule' || directive.field !== 'deadline') continue
    const deadline = parseQuantity(directive.value as string)
    const whole = [job, latency].find((goal) => goal && deadline && deadline.value > goal.limit.value)
    if (whole)
      report.add(
        'HM706',
        directive.span,
        `'${directive.task.name}' may take ${directive.written}, longer than the ${whole.entry.key} of ${whole.limit.text} (${report.where(whole.entry)}) allows for everything; shorten the deadline.`,
        { task: directive.task.name },
      )
  }
}
