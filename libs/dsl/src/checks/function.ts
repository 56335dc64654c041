/** HM803, HM804, HM808, HM809: the code of a network function, `nfu:OP?name=value&...`. */
import { isOp, type NfuProblem, OP_NAMES, OPS, readNfu } from '@hivemind/nfu'
import { oneOf } from '../meaning/names.ts'
import { type Report, replace } from '../meaning/report.ts'
import { quoteString } from '../syntax/literal.ts'
import type { Span } from '../syntax/syntax.ts'
import type { Fix } from '../types.ts'

const CODE_OF = { op: 'HM803', form: 'HM804', parameter: 'HM808', value: 'HM809' } as const

/** Problems of one code beyond this number are not reported: fixing the first ones comes before. */
const MAX_PROBLEMS = 20

/** Reports everything that is wrong with the code of a network function; `span` is the text that holds it. */
export function checkFunction(code: string, span: Span, report: Report) {
  for (const problem of readNfu(code).problems.slice(0, MAX_PROBLEMS)) {
    const { message, fixes } =
      problem.kind === 'op' ? unknownOp(code, problem, span, report) : known(code, problem, span, report)
    report.add(CODE_OF[problem.kind], span, message, { fixes })
  }
}

interface Finding {
  message: string
  fixes: Fix[]
}

function unknownOp(code: string, { name }: NfuProblem, span: Span, report: Report): Finding {
  const meant = report.nearest(name, OP_NAMES)
  return {
    message: `There is no network function '${name}'; ${meant ? `did you mean '${meant}'?` : `write one of ${oneOf(OP_NAMES)}.`}`,
    fixes: meant ? [rewrite(`nfu:${meant}${code.slice(`nfu:${name}`.length)}`, span)] : [],
  }
}

function known(code: string, { kind, name, message }: NfuProblem, span: Span, report: Report): Finding {
  const op = /^nfu:(\w+)/.exec(code)?.[1] ?? ''
  if (kind !== 'parameter' || !isOp(op)) return { message, fixes: [] }
  const names: string[] = OPS[op].parameters.map((parameter) => parameter.name)
  const meant = names.includes(name) ? null : report.nearest(name, names)
  if (!meant || new RegExp(`[?&]${meant}=`).test(code)) return { message, fixes: [] }
  return {
    message: `${message} Did you mean '${meant}'?`,
    fixes: [rewrite(code.replace(new RegExp(`([?&])${name}=`), `$1${meant}=`), span)],
  }
}

const rewrite = (code: string, span: Span): Fix => replace(`Write '${code}'`, span, quoteString(code), true)
