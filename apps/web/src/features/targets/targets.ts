/** Rules and texts of the Targets screen. */
import type { TargetCheck } from '../../api/types.ts'

/** What is wrong with the name of a new target; `undefined` for a good one, and for none yet. */
export const targetNameProblem = (name: string): string | undefined =>
  name === '' || /^[a-z0-9][a-z0-9-]{0,39}$/.test(name)
    ? undefined
    : "Use small letters, digits and '-', at most 40, and begin with a letter or digit."

/** The check in one sentence. */
export function verdictOf({ findings }: TargetCheck): { good: boolean; text: string } {
  const errors = findings.filter(({ level }) => level === 'error').length
  if (errors === 0) return { good: true, text: 'Functions can be deployed there.' }
  return {
    good: false,
    text: `Nothing can be deployed there: ${errors === 1 ? 'one thing is' : `${errors} things are`} missing.`,
  }
}
