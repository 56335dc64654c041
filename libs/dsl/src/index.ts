export type { DirectiveEdit, DirectiveValues, GraphEdit, NewTask } from './edits.ts'
export type { CheckContext, CheckResult, Diagnostic, Fix, Severity, TextChange } from './types.ts'
