/** Puts the arguments of a statement to its parameters. */
import type { Argument, Source, Statement } from '../syntax/syntax.ts'
import type { Bound } from './model.ts'
import { oneOf } from './names.ts'
import { type Report, replace } from './report.ts'
import { KNOWN_TASK_ARGUMENTS, type Parameter, type StatementSpec } from './statements.ts'

/** Names people write for the two edge arguments. */
const SYNONYMS: Record<string, string> = {
  parent: 'parentTask',
  parents: 'parentTask',
  child: 'childTask',
  children: 'childTask',
  synchronize: 'sync',
}

/** Assigns the arguments of a statement to its parameters, and reports those that fit none. */
export function bind(source: Source, statement: Statement, spec: StatementSpec, report: Report): Bound {
  const bound: Bound = {
    statement,
    spec,
    args: new Map(),
    parameters: new Map(),
    others: [],
    otherNames: new Map(),
  }
  for (const parameter of spec.parameters)
    for (const name of [parameter.name, ...(parameter.aliases ?? [])]) bound.parameters.set(name, parameter)
  const byPlace = spec.parameters.filter((parameter) => !parameter.keywordOnly)
  let place = 0
  let named = false
  for (const argument of statement.args) {
    if (argument.keyword) {
      named = true
      bindKeyword(bound, argument, report)
      continue
    }
    // Python refuses it here; most likely it was meant for the next parameter that is still free.
    while (named && bound.args.has(byPlace[place]?.name ?? '')) place++
    const parameter = byPlace[place++]
    if (named)
      report.add(
        'HM117',
        argument,
        `An argument without a name cannot follow one with a name; write '${parameter?.name ?? 'name'}=...' or move it to the front.`,
        parameter && !bound.args.has(parameter.name)
          ? {
              fixes: [
                replace(
                  `Write ${parameter.name}=`,
                  { from: argument.from, to: argument.from },
                  `${parameter.name}=`,
                  false,
                ),
              ],
            }
          : {},
      )
    if (parameter) setArgument(bound, parameter, argument, report)
    else
      report.add(
        'HM204',
        argument,
        `${spec.head} takes ${byPlace.length === 1 ? 'one argument' : `${byPlace.length} arguments`} without a name (${byPlace.map(({ name }) => name).join(', ')}); ${spec.others ? "write 'name=value' for others." : 'remove this one.'}`,
      )
  }
  for (const parameter of spec.parameters)
    if (parameter.required && !bound.args.has(parameter.name))
      report.add(
        'HM203',
        statement.head,
        `${spec.head} needs '${parameter.name}': ${lower(parameter.help)}`,
        missingFix(source, bound, parameter),
      )
  return bound
}

const lower = (text: string) => text.charAt(0).toLowerCase() + text.slice(1)

function missingFix(source: Source, { statement }: Bound, parameter: Parameter) {
  const value = parameter.name === 'condition' ? 'all' : parameter.choices?.[0]
  const last = statement.args.at(-1)
  if (!value || !last || last.comma || source.lossy) return {}
  return { fixes: [replace(`Insert '${value}'`, { from: last.to, to: last.to }, `, '${value}'`, false)] }
}

function setArgument(bound: Bound, parameter: Parameter, argument: Argument, report: Report) {
  const before = bound.args.get(parameter.name)
  if (!before) {
    bound.args.set(parameter.name, argument)
    return
  }
  const span = argument.keyword ?? argument
  const first = before.keyword?.text ?? parameter.name
  const second = argument.keyword?.text ?? parameter.name
  if (first !== second)
    report.add(
      'HM207',
      span,
      `'${second}' and '${first}' (${report.where(before)}) are one argument; keep one of them.`,
    )
  else
    report.add(
      'HM118',
      span,
      `'${parameter.name}' is given twice, first in ${report.where(before)}; keep one of them.`,
    )
}

function bindKeyword(bound: Bound, argument: Argument, report: Report) {
  const { spec, parameters, others } = bound
  const keyword = argument.keyword as NonNullable<Argument['keyword']>
  const parameter = parameters.get(keyword.text)
  if (parameter) {
    setArgument(bound, parameter, argument, report)
    return
  }
  if (!spec.others) {
    const meant = report.nearest(keyword.text, parameters.keys())
    report.add(
      'HM202',
      keyword,
      `${spec.head} has no argument '${keyword.text}'; ${meant ? `did you mean '${meant}'?` : `it takes ${oneOf(spec.parameters.map(({ name }) => name)).replace(' or ', ' and ')}.`}`,
      {
        fixes: meant && !bound.args.has(meant) ? [replace(`Write '${meant}'`, keyword, meant, true)] : [],
      },
    )
    return
  }
  const before = bound.otherNames.get(keyword.text)
  if (before) {
    report.add(
      'HM118',
      keyword,
      `'${keyword.text}' is given twice, first in ${report.where(before)}; keep one of them.`,
    )
    return
  }
  if (keyword.text === '__proto__') {
    report.add('HM202', keyword, "'__proto__' cannot be an argument; choose another name.")
    return
  }
  others.push(argument)
  bound.otherNames.set(keyword.text, argument)
  const meant = likelyMeant(bound, keyword.text, report)
  if (meant)
    report.add(
      'HM209',
      keyword,
      `'${keyword.text}' goes to the task's code as it is; did you mean '${meant}'?`,
      {
        fixes: [replace(`Write '${meant}'`, keyword, meant, false)],
      },
    )
}

function likelyMeant(bound: Bound, word: string, report: Report): string | null {
  const { args } = bound
  const known = KNOWN_TASK_ARGUMENTS.map(({ name }) => name)
  if (known.includes(word)) return null
  const synonym = Object.hasOwn(SYNONYMS, word) ? (SYNONYMS[word] as string) : null
  const meant = synonym ?? report.nearest(word, ['dataIn', 'dataOut', 'parentTask', 'childTask', 'sync'])
  if (meant) return args.has(meant) ? null : meant
  return known.find((name) => name === word.toLowerCase().replaceAll('_', '')) ?? null
}
