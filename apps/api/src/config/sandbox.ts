/** What the setting of the sandbox comes to on this machine. */
import type { SandboxMode, SandboxReport } from '@hivemind/task-runner'
import type { AnswerOf } from '../common/contract.ts'

/** Whether task code runs confined, with the rights of the service, or not at all. */
export function sandboxState(mode: SandboxMode, report: SandboxReport): AnswerOf<'health'>['sandbox'] {
  if (mode === 'off') return 'off'
  if (report.works) return 'on'
  return mode === 'required' ? 'refused' : 'off'
}

/** What is to be said of task code that runs without a sandbox, or not at all. */
export function sandboxWarning(mode: SandboxMode, report: SandboxReport): string | undefined {
  if (mode === 'off')
    return 'HIVEMIND_SANDBOX is off: task code runs with the rights of this service, and reads and changes whatever it can.'
  if (report.works) return undefined
  const why = `There is no sandbox for task code here: ${report.reason}.`
  return mode === 'required'
    ? `${why} No task code runs until there is one. To fix it, ${report.fix}; or set HIVEMIND_SANDBOX=off to run task code with the rights of this service.`
    : `${why} Task code runs with the rights of this service. To fix it, ${report.fix}.`
}
