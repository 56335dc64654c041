/** The options of a lambda, checked and completed. */
import type { Lambda, LambdaOptions } from '../contract.ts'
import { InvalidOptionError } from '../errors.ts'
import { allowedCores } from './cores.ts'

/** Options whose defaults are filled in. */
export type BindingOptions = LambdaOptions &
  Required<Pick<LambdaOptions, 'on' | 'order' | 'concurrency' | 'queueLimit' | 'policy'>>

/** The options of a lambda with their defaults. Throws `InvalidOptionError`. */
export function bindingOptions(options: LambdaOptions, lambda: Lambda): BindingOptions {
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
  if (options.cores !== undefined) checkCores(options.cores, lambda)
  const { group } = options
  if (group !== undefined && !/^[\w.-]{1,100}$/.test(group))
    throw new InvalidOptionError(
      `The option group is '${group}'; a name has 1 to 100 letters, digits, points, dashes or underscores.`,
    )
  return complete
}

function checkChoice(name: string, value: string, choices: readonly string[]): void {
  if (!choices.includes(value))
    throw new InvalidOptionError(`The option ${name} is '${value}'. Use ${choices.join(', ')}.`)
}

function checkCores(cores: readonly number[], lambda: Lambda): void {
  const refuse = (why: string) =>
    new InvalidOptionError(`The option cores is [${cores.join(', ')}], but ${why}`)
  if (typeof lambda === 'function')
    throw refuse(
      'the lambda runs in the thread of this process: leave it out, or give the module of an isolated lambda.',
    )
  const allowed = allowedCores()
  if (allowed === null) throw refuse('only Linux holds threads to cores: leave it out.')
  if (cores.length === 0 || cores.some((core) => !allowed.includes(core)))
    throw refuse(`it must name cores that this process may use: ${allowed.join(', ')}.`)
}

function checkCount(name: string, value: number): void {
  if (!(Number.isSafeInteger(value) && value >= 1))
    throw new InvalidOptionError(`The option ${name} is ${value}; it must be a whole number from 1.`)
}
