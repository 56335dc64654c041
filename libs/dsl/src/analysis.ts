/** Everything known of a text: its statements, what they say, what that means and what is wrong. */
import { kindsOf, scopesOf } from '@hivemind/workflow'
import { checkBarriers } from './checks/barriers.ts'
import { checkCode } from './checks/code.ts'
import type { Checked } from './checks/context.ts'
import { findCycles } from './checks/cycles.ts'
import { checkData } from './checks/data.ts'
import { checkDirectives } from './checks/directives.ts'
import { checkGoals } from './checks/goals.ts'
import { checkGraph } from './checks/graph.ts'
import { orderOf } from './checks/order.ts'
import { checkRelations } from './checks/relations.ts'
import { quoteOf } from './edit/refs.ts'
import { buildWorkflow } from './meaning/build.ts'
import type { Bound, Model, TaskDef } from './meaning/model.ts'
import { Report } from './meaning/report.ts'
import { resolve } from './meaning/resolve.ts'
import { HEADS } from './meaning/statements.ts'
import { readSource } from './syntax/read.ts'
import type { CheckContext, CheckResult } from './types.ts'

/** A text that has been read: its model, and what is wrong with its syntax and its single statements. */
export interface Analysis {
  model: Model
  report: Report
}

/** Reads a text into its model, with the reports on its syntax and its single statements. */
export function analyse(text: string): Analysis {
  const source = readSource(text, HEADS)
  const report = new Report(text)
  for (const { code, message, fixes, severity, from, to } of source.faults)
    report.add(code, { from, to }, message, { fixes, severity })
  return { model: resolve(source, report), report }
}

/** Checks what the statements say together. The analysis stays as it is, and can be concluded again. */
export function conclude(analysis: Analysis, context: CheckContext = {}): CheckResult {
  const { model } = analysis
  const report = analysis.report.continued()
  const workflow = buildWorkflow(model)
  const definitions = new Map<string, TaskDef>()
  for (const task of model.tasks) if (!definitions.has(task.ref.name)) definitions.set(task.ref.name, task)
  const ordered = findCycles(workflow.tasks).cycles.length === 0
  const checked: Checked = {
    text: report.text,
    model,
    workflow,
    report,
    context,
    definitions,
    tasks: new Map(workflow.tasks.map((task) => [task.name, task])),
    quote: quoteOf(report.text),
    ordered,
    runsBefore: ordered ? orderOf(workflow) : () => false,
    kinds: ordered ? kindsOf(workflow) : null,
    scopes: ordered ? scopesOf(workflow) : null,
  }
  // Where the text is not all read, what seems to be missing may only be unread.
  if (!model.source.lossy) {
    checkGraph(checked)
    checkData(checked)
    checkRelations(checked)
    checkBarriers(checked)
    checkDirectives(checked)
    checkGoals(checked)
  }
  checkCode(checked)
  return {
    workflow: model.source.lossy ? null : workflow,
    diagnostics: report.finish(ownersOf(model, definitions)),
  }
}

/** Which stretch of the text is about which task. */
function ownersOf(model: Model, definitions: ReadonlyMap<string, TaskDef>) {
  const owner = (bound: Bound, name: string) => ({
    from: bound.statement.from,
    to: bound.statement.to,
    task: name,
  })
  return [
    ...model.tasks.map(({ bound, ref }) => owner(bound, ref.name)),
    ...model.directiveStatements
      .filter(({ task }) => definitions.has(task.name))
      .map(({ bound, task }) => owner(bound, task.name)),
  ]
}

/**
 * Reads a workflow and reports everything that is wrong with it. Never throws, whatever the text.
 * Positions are UTF-16 offsets. `context` is what is known of the world outside the text.
 */
export function check(text: string, context?: CheckContext): CheckResult {
  return conclude(analyse(text), context)
}
