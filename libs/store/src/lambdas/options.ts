/** The options of a lambda, checked and completed. */
import type { LambdaOptions } from '../contract.ts'
import { InvalidOptionError } from '../errors.ts'
import { checkPath } from '../paths.ts'

/** Options whose defaults are filled in. */
export type BindingOptions = LambdaOptions &
  Required<Pick<LambdaOptions, 'on' | 'order' | 'concurrency' | 'queueLimit' | 'policy'>>

/** The options with their defaults. Throws `InvalidOptionError`. */
export function bindingOptions(options: LambdaOptions): BindingOptions {
  const complete: BindingOptions = {
    ...options,
    on: options.on ?? 'both',
    order: options.order ?? 'none',
    concurrency: options.concurrency ?? 1,
    queueLimit: options.queueLimit ?? 1024,
    policy: options.policy ?? 'wait',
  }
  checkChoice('on', complete.on, ['put', 'trigger', 'both'])
  checkChoice('order', complete.order, ['none', 'key'])
  checkChoice('policy', complete.policy, ['wait', 'drop-newest', 'drop-oldest'])
  checkCount('concurrency', complete.concurrency)
  checkCount('queueLimit', complete.queueLimit)
  const { group } = options
  if (group !== undefined && !/^[\w.-]{1,100}$/.test(group))
    throw new InvalidOptionError(
      `The option group is '${group}'; a name has 1 to 100 letters, digits, points, dashes or underscores.`,
    )
  for (const { path, by } of options.destinations ?? []) {
    checkPath(path)
    checkChoice('by of a destination', by, ['put', 'trigger'])
  }
  return complete
}

function checkChoice(name: string, value: string, choices: readonly string[]): void {
  if (!choices.includes(value))
    throw new InvalidOptionError(`The option ${name} is '${value}'. Use ${choices.join(', ')}.`)
}

function checkCount(name: string, value: number): void {
  if (!(Number.isSafeInteger(value) && value >= 1))
    throw new InvalidOptionError(`The option ${name} is ${value}; it must be a whole number from 1.`)
}
