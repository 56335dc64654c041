/** HM8xx: where the code of a task is; and the task arguments that the runner reads. */
import type { TaskDef } from '../meaning/model.ts'
import { oneOf } from '../meaning/names.ts'
import { type Report, replace } from '../meaning/report.ts'
import { KNOWN_TASK_ARGUMENTS } from '../meaning/statements.ts'
import { readBounded } from '../meaning/values.ts'
import { quoteString } from '../syntax/literal.ts'
import type { Argument, Span, Value } from '../syntax/syntax.ts'
import type { Checked } from './context.ts'
import { checkFunction } from './function.ts'
import { checkState } from './state.ts'

/** Reports what is wrong with the code of each task and with the arguments that the runner reads. */
export function checkCode(checked: Checked) {
  const { report } = checked
  for (const task of checked.model.tasks) {
    const argument = task.bound.args.get('code')
    if (argument?.value.kind === 'string') {
      if (task.code.startsWith('nfu:')) checkFunction(task.code, argument.value, report)
      else if (checkPath(task.code, argument.value, report)) checkFile(checked, task, argument.value)
    }
    for (const other of task.bound.others) checkRunnerArgument(checked, task, other)
  }
}

/** Whether a path stays inside the project; reports when it does not. */
function checkPath(path: string, span: Span, report: Report): boolean {
  if (path.includes('\\')) {
    const fixed = path.replaceAll('\\', '/')
    report.add('HM801', span, `A path is written with '/', not with a backslash: '${fixed}'.`, {
      fixes: [replace(`Write '${fixed}'`, span, quoteString(fixed), true)],
    })
    return false
  }
  if (path.trim() === '' || path.includes('\0')) {
    report.add('HM801', span, "The path is empty; write one such as 'tasks/detect.py'.")
    return false
  }
  let depth = 0
  const leaves = path.split('/').some((part) => {
    if (part === '..') depth--
    else if (part !== '.' && part !== '') depth++
    return depth < 0
  })
  if (!leaves && depth > 0 && !path.startsWith('/') && !/^[A-Za-z][A-Za-z0-9+.-]*:/.test(path)) return true
  report.add(
    'HM801',
    span,
    `'${path}' is not inside the project; write a path relative to this file that stays in its folder, such as 'tasks/detect.py'.`,
  )
  return false
}

function checkFile({ report, context }: Checked, task: TaskDef, span: Span) {
  if (!context.fileExists) return
  if (!context.fileExists(task.code))
    report.add(
      'HM802',
      span,
      `There is no file '${task.code}' beside this one; create it, or correct the path. The workflow cannot be deployed without it.`,
      { task: task.ref.name },
    )
  else if (!/\.(?:m?js|py)$/.test(task.code))
    report.add('HM805', span, `Task code is a file that ends in .js, .mjs or .py; '${task.code}' does not.`, {
      task: task.ref.name,
    })
}

function checkRunnerArgument(checked: Checked, task: TaskDef, argument: Argument) {
  const { report } = checked
  const { value } = argument
  const spec = KNOWN_TASK_ARGUMENTS.find(({ name }) => name === argument.keyword?.text)
  if (!spec || value.kind === 'none' || value.kind === 'bad') return
  if (spec.name === 'state') checkState(checked, task, argument)
  else if (spec.name === 'files') checkFiles(checked, value)
  else if (spec.choices) checkChoice(spec.name, spec.choices, value, report)
  else if (spec.dimensions && spec.bounds)
    readBounded(value, spec.bounds, spec.dimensions, spec.bounds === 'memory' ? '512MB' : '30s', report)
}

function checkChoice(name: string, choices: readonly string[], value: Value, report: Report) {
  if (value.kind === 'string' && choices.includes(value.value)) return
  const word = value.kind === 'string' ? value.value : value.kind === 'name' ? value.name : ''
  const meant = choices.find((choice) => choice === word.toLowerCase()) ?? report.nearest(word, choices)
  report.add('HM208', value, `The ${name} of a task is ${oneOf(choices)}; write one of these.`, {
    fixes: meant ? [replace(`Write '${meant}'`, value, quoteString(meant), true)] : [],
  })
}

function checkFiles({ report, context: { fileExists } }: Checked, files: Value) {
  for (const value of textsOf(files))
    if (checkPath(value.value, value, report) && fileExists && !fileExists(value.value))
      report.add(
        'HM807',
        value,
        `There is no file or folder '${value.value}' beside this file; create it, or correct the path.`,
      )
}

function textsOf(value: Value) {
  const values = value.kind === 'list' ? value.items.map((item) => item.value) : [value]
  return values.filter((one) => one.kind === 'string')
}
