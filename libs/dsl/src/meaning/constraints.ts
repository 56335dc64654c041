/** What the whole job must meet: the `constraint` argument of the TaskGraph. */
import type { Argument, Entry } from '../syntax/syntax.ts'
import type { Model } from './model.ts'
import { type Report, replace } from './report.ts'
import { CONSTRAINTS } from './statements.ts'
import { readQuantity } from './values.ts'

const KEYS = CONSTRAINTS.map(({ key }) => key)

/** Reads the `constraint` argument of the TaskGraph into the model, and reports what is wrong with it. */
export function readConstraints(model: Model, argument: Argument, report: Report) {
  const { value } = argument
  if (value.kind === 'none' || value.kind === 'bad') return
  if (value.kind === 'list' && value.items.length === 0) return
  if (value.kind !== 'dict') {
    report.add('HM205', value, "Write the constraints as dict(execTime='10s', ...).")
    return
  }
  model.constraintDict = value
  const seen = new Map<string, Entry>()
  value.entries.forEach((entry, index) => {
    const before = seen.get(entry.key)
    if (before) {
      const same = JSON.stringify(plainOf(before)) === JSON.stringify(plainOf(entry))
      report.add(
        'HM703',
        entry,
        `'${entry.key}' is given twice${same ? '' : ' with different values'}, first in ${report.where(before)}; keep one.`,
        {
          fixes: () => [
            { title: 'Remove this one', certain: same, changes: report.removal(value.entries, index) },
          ],
        },
      )
      return
    }
    seen.set(entry.key, entry)
    model.constraints.push({ entry, key: entry.key, constraint: readConstraint(entry, report) })
  })
}

const plainOf = ({ value }: Entry) =>
  value.kind === 'string' ? value.value : value.kind === 'number' ? value.value : value.kind

function readConstraint(entry: Entry, report: Report) {
  const spec = CONSTRAINTS.find(({ key }) => key === entry.key)
  if (!spec) {
    const meant = report.nearest(entry.key, KEYS)
    report.add(
      'HM701',
      entry.keySpan,
      `There is no constraint '${entry.key}'; ${meant ? `did you mean '${meant}'?` : `the constraints are ${KEYS.join(', ')}.`}`,
      {
        fixes: meant
          ? [
              replace(
                `Write '${meant}'`,
                entry.keySpan,
                /^['"]/.test(report.text[entry.keySpan.from] ?? '') ? `'${meant}'` : meant,
                true,
              ),
            ]
          : [],
      },
    )
    return null
  }
  const limit = readQuantity(entry.value, spec.dimensions, spec.example, 'HM702', report)
  return limit && { key: spec.key, limit }
}
