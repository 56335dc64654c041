/** What a deployment changes of the one before it. Pure. */
import { createHash } from 'node:crypto'
import { edgeTasks, type PlanTask } from '@hivemind/synthesis'
import { type DeployedFunction, functionsOf } from './functions/works.ts'
import type { Change, DeploymentSpec, DeviceSpec } from './types.ts'

/** What of a task its function depends on, and what people call it. */
const SETTINGS = [
  ['runtime', 'runtime'],
  ['code', 'path of the code'],
  ['args', 'arguments'],
  ['dataIn', 'inputs'],
  ['dataOut', 'output'],
  ['outputType', 'media type'],
  ['kindIn', 'kind of its inputs'],
  ['kindOut', 'kind of its output'],
  ['stateKey', 'state'],
  ['isolate', 'isolation'],
  ['timeoutMs', 'time limit'],
  ['memoryMB', 'memory'],
  ['network', 'access to the network'],
  ['bundle', 'files'],
] as const satisfies readonly (readonly [keyof PlanTask, string])[]

/** Units of settings that are numbers. */
const UNITS: Partial<Record<keyof PlanTask, string>> = { timeoutMs: 'ms', memoryMB: 'MB' }

/** A text that is the same for functions that need not be replaced. */
export function functionHash(
  workflow: string,
  {
    name,
    task,
    coPlaced = [],
    board,
    machine,
  }: Pick<DeployedFunction, 'name' | 'task' | 'coPlaced' | 'board' | 'machine'>,
): string {
  const parts = [
    workflow,
    name,
    ...[task, ...coPlaced].flatMap((each) => SETTINGS.map(([key]) => each[key])),
    ...(coPlaced.length > 0 ? [coPlaced.map(({ parents }) => parents)] : []),
    ...(board ? [board] : []),
    ...(machine ? [{ machine }] : []),
  ]
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex')
}

/** Changed files that are named; more are counted. */
const MAX_FILES = 5

/** The files of a task that differ. */
function changedFiles(task: string, before: DeploymentSpec, after: DeploymentSpec): string {
  const filesOf = ({ synthesis }: DeploymentSpec) =>
    new Map(
      synthesis.bundles
        .filter((bundle) => bundle.task === task)
        .flatMap(({ files }) => files.map(({ path, hash }) => [path, hash] as const)),
    )
  const [old, now] = [filesOf(before), filesOf(after)]
  const paths = [...new Set([...old.keys(), ...now.keys()])].filter((path) => old.get(path) !== now.get(path))
  const more = paths.length - MAX_FILES
  return [...paths.slice(0, MAX_FILES), ...(more > 0 ? [`${more} more files`] : [])].join(', ') || 'files'
}

/** Why a function is replaced: what of its tasks differs. */
function whyChanged(tasks: readonly string[], before: DeploymentSpec, after: DeploymentSpec): string {
  const changed = tasks.flatMap((task) => {
    const parts = changedParts(task, before, after)
    return tasks.length > 1 && parts.length > 0 ? [`of ${task}: ${parts.join(', ')}`] : parts
  })
  return changed.length > 0
    ? `Changed: ${changed.join(tasks.length > 1 ? '; ' : ', ')}.`
    : 'The name of the workflow changed.'
}

function changedParts(task: string, before: DeploymentSpec, after: DeploymentSpec): string[] {
  const of = ({ synthesis: { plan } }: DeploymentSpec) => plan.tasks.find(({ name }) => name === task)
  const [old, now] = [of(before), of(after)]
  const parts = SETTINGS.filter(([key]) => JSON.stringify(old?.[key]) !== JSON.stringify(now?.[key])).map(
    ([key, word]) => {
      if (key === 'bundle') return changedFiles(task, before, after)
      const unit = UNITS[key]
      return unit ? `${word} from ${old?.[key]} to ${now?.[key]} ${unit}` : word
    },
  )
  if (before.boards?.[task] !== after.boards?.[task])
    parts.push(after.boards?.[task] === undefined ? 'the fabric is left' : 'board of the fabric')
  return parts
}

/** A text that is the same for deployments that devices need not load anew. */
export function deviceHash({ synthesis: { plan, flow } }: DeploymentSpec): string {
  const edge = edgeTasks(plan)
  return createHash('sha256')
    .update(JSON.stringify([edge, flow]))
    .digest('hex')
}

/** The devices of a deployment that have an agent: all, unless no task is on them. */
export function agentsOf({ devices, synthesis: { plan } }: DeploymentSpec): DeviceSpec[] {
  return edgeTasks(plan).length > 0 ? devices : []
}

/** Every resource of the new deployment, and those of the old one that go, each with what happens to it and why. */
export function changesOf(current: DeploymentSpec | null, next: DeploymentSpec): Change[] {
  const changes: Change[] = []
  const hashesOf = (spec: DeploymentSpec | null) =>
    new Map(
      (spec ? functionsOf(spec) : []).map((each) => [
        each.name,
        {
          tasks: [each.task, ...(each.coPlaced ?? [])].map(({ name }) => name),
          hash: functionHash(spec?.synthesis.plan.workflow ?? '', each),
        },
      ]),
    )
  const [before, after] = [hashesOf(current), hashesOf(next)]
  for (const [name, { tasks, hash }] of after) {
    const old = before.get(name)?.hash
    const action = old === undefined ? 'create' : old === hash ? 'keep' : 'change'
    const why =
      action === 'create'
        ? `It did not run before${tasks.length > 1 ? ' as one: its tasks share a container' : ''}.`
        : action === 'keep' || !current
          ? 'Code and settings are the same.'
          : whyChanged(tasks, current, next)
    changes.push({ kind: 'function', name, action, why })
  }
  for (const [name, { tasks }] of before) {
    if (after.has(name)) continue
    const [now] = [...after].find((each) => tasks.some((task) => each[1].tasks.includes(task))) ?? []
    const why = now === undefined ? 'It is no function any more.' : `What it did is part of '${now}' now.`
    changes.push({ kind: 'function', name, action: 'remove', why })
  }
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
