/** The options of a lambda, checked and completed. */
import type { LambdaOptions } from '../contract.ts'
import { InvalidOptionError } from '../errors.ts'
import { checkPath } from '../paths.ts'

/** Options whose defaults are filled in. */
export type BindingOptions = LambdaOptions &
  Required<Pick<LambdaOptions, 'on' | 'order' | 'concurrency' | 'queueLimit' | 'policy' | 'dispatch'>>

/** Ways to choose the member that handles an object. */
export const DISPATCHES = ['any', 'first', 'last', 'round-robin', 'random', 'key', 'home'] as const

/** The options with their defaults. Throws `InvalidOptionError`. */
export function bindingOptions(options: LambdaOptions): BindingOptions {
  const complete: BindingOptions = {
    ...options,
    on: options.on ?? 'both',
    order: options.order ?? 'none',
    concurrency: options.concurrency ?? 1,
    queueLimit: options.queueLimit ?? 1024,
    policy: options.policy ?? 'wait',
    dispatch: options.dispatch ?? 'any',
  }
  checkChoice('on', complete.on, ['put', 'trigger', 'both'])
  checkChoice('order', complete.order, ['none', 'key'])
  checkChoice('policy', complete.policy, ['wait', 'drop-newest', 'drop-oldest'])
  checkCount('concurrency', complete.concurrency)
  checkCount('queueLimit', complete.queueLimit)
  checkGroup(complete)
  for (const { path, by } of options.destinations ?? []) {
    checkPath(path)
    checkChoice('by of a destination', by, ['put', 'trigger'])
  }
  return complete
}

function checkGroup({ group, member, dispatch, order }: BindingOptions): void {
  checkChoice('dispatch', dispatch, DISPATCHES)
  for (const [name, value] of Object.entries({ group, member }))
    if (value !== undefined && !/^[\w.-]{1,100}$/.test(value))
      throw new InvalidOptionError(
        `The option ${name} is '${value}'; a name has 1 to 100 letters, digits, points, dashes or underscores.`,
      )
  if (group === undefined && (member !== undefined || dispatch !== 'any'))
    throw new InvalidOptionError(
      'The options member and dispatch are about the members of a group: name a group too.',
    )
  if (order === 'key' && (dispatch === 'round-robin' || dispatch === 'random'))
    throw new InvalidOptionError(
      `With dispatch '${dispatch}' the objects of one key go to several members, which do not keep their order. Use dispatch key or home with order key.`,
    )
}

function checkChoice(name: string, value: string, choices: readonly string[]): void {
  if (!choices.includes(value))
    throw new InvalidOptionError(`The option ${name} is '${value}'. Use ${choices.join(', ')}.`)
}

function checkCount(name: string, value: number): void {
  if (!(Number.isSafeInteger(value) && value >= 1))
    throw new InvalidOptionError(`The option ${name} is ${value}; it must be a whole number from 1.`)
}
