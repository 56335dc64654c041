/** What a deployment changes of the one before it. Pure. */
import { createHash } from 'node:crypto'
import type { PlanTask } from '@hivemind/synthesis'
import type { Change, DeploymentSpec, DeviceSpec } from './types.ts'

/** A text that is the same for functions that need not be replaced. */
export function functionHash(workflow: string, task: PlanTask): string {
  const {
    runtime,
    code,
    args,
    dataIn,
    dataOut,
    outputType,
    kindIn,
    kindOut,
    stateKey,
    isolate,
    timeoutMs,
    memoryMB,
    network,
    bundle,
  } = task
  const parts = [
    workflow,
    task.name,
    runtime,
    code,
    args,
    dataIn,
    dataOut,
    outputType,
    kindIn,
    kindOut,
    stateKey,
    isolate,
    timeoutMs,
    memoryMB,
    network,
    bundle,
  ]
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex')
}

/** A text that is the same for deployments that devices need not load anew. */
export function deviceHash({ synthesis: { plan, flow } }: DeploymentSpec): string {
  const edge = plan.tasks.filter(({ tier }) => tier === 'edge')
  return createHash('sha256')
    .update(JSON.stringify([edge, flow]))
    .digest('hex')
}

/** The devices of a deployment that have an agent: all, unless every task is in the cloud. */
export function agentsOf({ devices, synthesis: { plan } }: DeploymentSpec): DeviceSpec[] {
  return plan.tasks.some(({ tier }) => tier === 'edge') ? devices : []
}

/** Every resource of the new deployment, and those of the old one that go, each with what happens to it and why. */
export function changesOf(current: DeploymentSpec | null, next: DeploymentSpec): Change[] {
  const changes: Change[] = []
  const functionsOf = (spec: DeploymentSpec | null) =>
    new Map(
      (spec?.synthesis.plan.tasks ?? [])
        .filter(({ tier }) => tier === 'cloud')
        .map((task) => [task.name, functionHash(spec?.synthesis.plan.workflow ?? '', task)]),
    )
  const [before, after] = [functionsOf(current), functionsOf(next)]
  for (const [name, hash] of after) {
    const old = before.get(name)
    const action = old === undefined ? 'create' : old === hash ? 'keep' : 'change'
    const why = {
      create: 'It did not run before.',
      keep: 'Code and settings are the same.',
      change: 'Its code or its settings changed.',
    }[action]
    changes.push({ kind: 'function', name, action, why })
  }
  for (const name of before.keys())
    if (!after.has(name))
      changes.push({ kind: 'function', name, action: 'remove', why: 'It is not in the cloud any more.' })
  const devicesBefore = new Map(
    (current ? agentsOf(current) : []).map((device) => [device.name, device.class]),
  )
  const same = current !== null && deviceHash(current) === deviceHash(next)
  for (const { name, class: of } of agentsOf(next)) {
    const old = devicesBefore.get(name)
    devicesBefore.delete(name)
    if (old === undefined || old !== of)
      changes.push({ kind: 'agent', name, action: 'create', why: 'The device is new in this deployment.' })
    else if (same) changes.push({ kind: 'agent', name, action: 'keep', why: 'Its tasks are the same.' })
    else
      changes.push({
        kind: 'agent',
        name,
        action: 'change',
        why: 'Its tasks changed; the agent loads them without a restart.',
      })
  }
  for (const name of devicesBefore.keys())
    changes.push({ kind: 'agent', name, action: 'remove', why: 'The device is not part of it any more.' })
  return changes
}
