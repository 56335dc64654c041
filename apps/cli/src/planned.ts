/** What a deployment would change, as text. */
import type { DeploymentPlan } from '@hivemind/deploy'
import { table } from './output.ts'

/** The changes of a plan with their reasons, below them what it needs, and the YAML of each object of a cluster. */
export function planText({ changes, needs }: DeploymentPlan): string {
  const rows = changes.map(({ action, kind, name, why }) => [action, kind, name, why])
  const objects = changes.flatMap(({ objects: own = [] }) =>
    own.map(({ kind, name, action, diff }) =>
      action === 'keep' ? `keep ${kind} ${name}` : `${action} ${kind} ${name}\n${diff}`,
    ),
  )
  return [
    table([['CHANGE', 'KIND', 'NAME', 'WHY'], ...rows]),
    ...(needs.length > 0
      ? [table([['NEEDS', ''], ...needs.map(({ level, message }) => [level, message])])]
      : []),
    ...objects,
  ].join('\n\n')
}
