/** What a deployment would change of the one it replaces, as text. */
import type { DeploymentChange, DeploymentResource } from '../../api/types.ts'
import * as format from './format.ts'

/** Name of each kind of resource. */
export const resourceLabel: Record<DeploymentResource['kind'], string> = {
  function: 'Function',
  agent: 'Edge agent',
}

/** Label of each action. */
export const actionLabel: Record<DeploymentChange['action'], string> = {
  create: 'start',
  change: 'replace',
  remove: 'end',
  keep: 'keep',
}

/** Label of what becomes of an object of a cluster. */
export const objectActionLabel: Record<DeploymentChange['action'], string> = {
  create: 'create',
  change: 'change',
  remove: 'remove',
  keep: 'keep',
}

/** Colour of each action. */
export const actionTone = {
  create: 'accent',
  change: 'warn',
  remove: 'danger',
  keep: 'muted',
} as const satisfies Record<DeploymentChange['action'], string>

type Verbs = Record<DeploymentChange['action'], readonly [one: string, many: string]>

const verbs: Record<DeploymentChange['kind'], Verbs> = {
  function: {
    change: ['is replaced', 'are replaced'],
    create: ['starts', 'start'],
    remove: ['ends', 'end'],
    keep: ['stays', 'stay'],
  },
  agent: {
    change: ['loads its tasks without a restart', 'load their tasks without a restart'],
    create: ['starts', 'start'],
    remove: ['ends', 'end'],
    keep: ['stays', 'stay'],
  },
}

const order = ['change', 'create', 'remove', 'keep'] as const

/** True when a running deployment is replaced: something of it changes, ends or stays. */
export const replaces = (changes: readonly DeploymentChange[]): boolean =>
  changes.some(({ action }) => action !== 'create')

/** One sentence, for example `1 function is replaced, 3 stay; 2 agents load their tasks without a restart.` */
export function summariseChanges(changes: readonly DeploymentChange[]): string {
  if (changes.length > 0 && changes.every(({ action }) => action === 'keep')) {
    const kinds = (['function', 'agent'] as const).flatMap((kind) => {
      const number = changes.filter((change) => change.kind === kind).length
      return number === 0 ? [] : [format.count(number, kind)]
    })
    return `Nothing changes: ${kinds.join(' and ')} ${changes.length === 1 ? 'stays' : 'stay'}.`
  }
  const clauses = (['function', 'agent'] as const).flatMap((kind) => {
    const parts = order.flatMap((action) => {
      const number = changes.filter((change) => change.kind === kind && change.action === action).length
      return number === 0 ? [] : [{ number, verb: verbs[kind][action][number === 1 ? 0 : 1] }]
    })
    return parts.length === 0
      ? []
      : [
          parts
            .map(
              ({ number, verb }, n) =>
                `${n === 0 ? format.count(number, kind) : format.whole(number)} ${verb}`,
            )
            .join(', '),
        ]
  })
  return clauses.length === 0 ? '' : `${clauses.join('; ')}.`
}
