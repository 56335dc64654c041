import type { Noun } from '../database/tables.ts'

type Resource = Noun<'DeploymentResource'>

/** So many are named. */
const NAMED = 3

/** What a deployment that is there says of itself: whether it is ready to run, or what of it does not serve and why. */
export function readinessOf(resources: readonly Resource[]): string {
  const failed = resources.filter(({ state }) => state === 'failed')
  if (failed.length === 0) return 'Ready to run.'
  const names = failed.slice(0, NAMED).map(({ name }) => `'${name}'`)
  const rest = failed.length - names.length
  const subject = rest > 0 ? `${names.join(', ')} and ${rest} more` : names.join(', ')
  const reason = failed.length === 1 && failed[0]?.message ? `: ${failed[0].message}` : '.'
  return `${subject} ${failed.length === 1 ? 'does' : 'do'} not serve${reason} Runs may wait for ${failed.length === 1 ? 'it' : 'them'}, and fail.`
}
