/** The invocations of an instance that have not ended. Mostly there is one at a time, which needs no map. */
import type { Instance, Invocation } from './state.ts'

export const hasInvocations = ({ invocation, others }: Instance): boolean =>
  invocation !== null || (others !== null && others.size > 0)

export function invocationAt({ invocation, others }: Instance, seq: number): Invocation | undefined {
  return invocation !== null && invocation.seq === seq ? invocation : others?.get(seq)
}

export function invocationsOf({ invocation, others }: Instance): Invocation[] {
  const further = others === null ? [] : [...others.values()]
  return invocation === null ? further : [invocation, ...further]
}

export function addInvocation(inst: Instance, invocation: Invocation): void {
  if (inst.invocation === null) inst.invocation = invocation
  else {
    inst.others ??= new Map()
    inst.others.set(invocation.seq, invocation)
  }
}

export function removeInvocation(inst: Instance, seq: number): void {
  if (inst.invocation?.seq === seq) inst.invocation = null
  else inst.others?.delete(seq)
}
