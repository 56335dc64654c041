/** HM8xx: where the code of a task is; and the task arguments that the runner reads. */
import type { TaskDef } from '../meaning/model.ts'
import { oneOf } from '../meaning/names.ts'
import { type Report, replace } from '../meaning/report.ts'
import { KNOWN_TASK_ARGUMENTS, NFU_OPS } from '../meaning/statements.ts'
import { readQuantity } from '../meaning/values.ts'
import { quoteString } from '../syntax/literal.ts'
import type { Argument, Span, Value } from '../syntax/syntax.ts'
import type { Checked } from './context.ts'

export function checkCode(checked: Checked) {
  const { report, context } = checked
  for (const task of checked.model.tasks) {
    const argument = task.bound.args.get('code')
    if (argument?.value.kind === 'string') {
      if (task.code.startsWith('nfu:')) checkFunction(task.code, argument.value, report)
      else if (checkPath(task.code, argument.value, report)) checkFile(checked, task, argument.value)
    }
    for (const other of task.bound.others) checkRunnerArgument(other, report, context.fileExists)
  }
}

/** Whether a path stays inside the project; reports when it does not. */
function checkPath(path: string, span: Span, report: Report): boolean {
  if (path.includes('\\')) {
    const mended = path.replaceAll('\\', '/')
    report.add('HM801', span, `A path is written with '/', not with a backslash: '${mended}'.`, {
      fixes: [replace(`Write '${mended}'`, span, quoteString(mended), true)],
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

function checkFunction(code: string, span: Span, report: Report) {
  const [, op = '', query] = /^nfu:([^?]*)(?:\?(.*))?$/s.exec(code) ?? []
  if (!NFU_OPS.includes(op)) {
    const meant = report.nearest(op, NFU_OPS)
    report.add(
      'HM803',
      span,
      `There is no network function '${op}'; ${meant ? `did you mean '${meant}'?` : `write one of ${oneOf(NFU_OPS)}.`}`,
      {
        fixes: meant
          ? [
              replace(
                `Write '${meant}'`,
                span,
                quoteString(`nfu:${meant}${query === undefined ? '' : `?${query}`}`),
                true,
              ),
            ]
          : [],
      },
    )
  } else if (query !== undefined && !/^[A-Za-z_]\w*=[^&=\s]+(?:&[A-Za-z_]\w*=[^&=\s]+)*$/.test(query))
    report.add(
      'HM804',
      span,
      `The arguments of a network function are written 'nfu:${op}?name=value&name=value'; '?${query}' are not.`,
    )
}

function checkRunnerArgument(
  argument: Argument,
  report: Report,
  fileExists: ((path: string) => boolean) | undefined,
) {
  const spec = KNOWN_TASK_ARGUMENTS.find(({ name }) => name === argument.keyword?.text)
  if (!spec || argument.value.kind === 'none' || argument.value.kind === 'bad') return
  if (spec.choices) {
    const { value } = argument
    if (value.kind === 'string' && spec.choices.includes(value.value)) return
    const word = value.kind === 'string' ? value.value : value.kind === 'name' ? value.name : ''
    const meant =
      spec.choices.find((choice) => choice === word.toLowerCase()) ?? report.nearest(word, spec.choices)
    report.add('HM208', value, `The ${spec.name} of a task is ${oneOf(spec.choices)}; write one of these.`, {
      fixes: meant ? [replace(`Write '${meant}'`, value, quoteString(meant), true)] : [],
    })
  } else if (spec.dimensions)
    readQuantity(argument.value, spec.dimensions, spec.name === 'memory' ? '512MB' : '30s', 'HM210', report)
  else
    for (const value of textsOf(argument.value)) {
      if (checkPath(value.value, value, report) && fileExists && !fileExists(value.value))
        report.add(
          'HM807',
          value,
          `There is no file or folder '${value.value}' beside this file; create it, or correct the path.`,
        )
    }
}

function textsOf(value: Value) {
  const values = value.kind === 'list' ? value.items.map((item) => item.value) : [value]
  return values.filter((one) => one.kind === 'string')
}
