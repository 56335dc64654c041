/** Workflow and placement to the plan (paper, section 4.2: the APIs of one execution model). */
import { isReservedName } from '@hivemind/rpc/idl'
import {
  isTier,
  type Placement,
  TIER_IDS,
  TIERS,
  type Tier,
  TRANSPORTS,
  tierIds,
  tierRow,
  transportBetween,
} from '@hivemind/swarm'
import {
  boundsFault,
  edgesOf,
  inputsOf,
  kindsOf,
  parseQuantity,
  pinsToDevices,
  roleOf,
  type Scope,
  scopesOf,
  sinksOf,
  stateKeyOf,
  type Task,
  topologicalOrder,
  type Workflow,
} from '@hivemind/workflow'
import type { Bundle, Plan, PlanLink, PlanTask, Runtime } from './plan.ts'
import { TYPE_NAMES } from './types.ts'

const DEFAULT_TIMEOUT_MS = 60_000
const DEFAULT_MEMORY_MB = 512
/** Names of the interface that no task and no data may take. */
const AGENT_FUNCTIONS = ['info', 'startRun', 'endRun']
const GATEWAY_FUNCTIONS = [
  'registerAgent',
  'heartbeat',
  'taskDone',
  'taskFailed',
  'entryDone',
  'spans',
  'logs',
]
/** What no method may be called: our own types, fields of clients in JavaScript and C++, macros of C, words of C++20. */
const STUB_NAMES = [
  ...TYPE_NAMES,
  ...['output', 'pClass', 'seqid', 'new_seqid', 'constructor'],
  ...['iprot_', 'oprot_', 'piprot_', 'poprot_', 'sync_'],
  ...['co_await', 'co_return', 'co_yield', 'consteval', 'constinit'],
  ...['errno', 'stdin', 'stdout', 'stderr', 'assert', 'linux', 'unix', 'major', 'minor', 'NULL', 'EOF'],
]

/** Compiles the plan, adding a sentence to `problems` for whatever stands in the way. */
export function compile(
  name: string,
  workflow: Workflow,
  placement: Placement,
  bundles: Map<string, Bundle>,
  problems: string[],
): Plan {
  const scopes = scopesOf(workflow)
  const kinds = kindsOf(workflow)
  const gated = gatedTasks(workflow, placement)
  const tasks = topologicalOrder(workflow).map((task): PlanTask => {
    const tier = tierOf(task, placement, scopes, problems)
    const output = workflow.data.find((item) => item.name === task.dataOut)
    return {
      name: task.name,
      tier,
      runtime: runtimeOf(task, problems),
      code: bundles.get(task.name)?.entry ?? task.code,
      args: task.args,
      dataIn: task.dataIn,
      dataOut: task.dataOut,
      ...(output?.type === undefined ? {} : { outputType: output.type }),
      parents: task.parents,
      children: task.children,
      scope: scopes.get(task.name) ?? 'device',
      kindIn: kinds.get(task.name)?.in ?? 'object',
      kindOut: kinds.get(task.name)?.out ?? 'object',
      ...(output?.kind === 'object' ? { exactlyOne: true as const } : {}),
      ...(tierRow(tier).hardware !== 'nodes' && pinOf(task)),
      ...(task.directives.synchronize ? { barrier: task.directives.synchronize } : {}),
      serialWith: workflow.relations.flatMap(({ kind, a, b }) =>
        kind !== 'serial' ? [] : a === task.name ? [b] : b === task.name ? [a] : [],
      ),
      ...relationsOf(task, workflow),
      ...scheduleOf(task, workflow),
      isolate: task.directives.isolate === true,
      restore: task.directives.restore ?? 'respawn',
      persist: task.directives.persist === true,
      priority: task.directives.schedule?.priority ?? 0,
      timeoutMs: argument(task, 'timeout', 'time', DEFAULT_TIMEOUT_MS, problems),
      memoryMB: argument(task, 'memory', 'size', DEFAULT_MEMORY_MB * 1e6, problems) / 1e6,
      ...(task.args.network === 'all' && { network: true as const }),
      bundle: bundles.get(task.name)?.hash ?? null,
    }
  })
  for (const named of Object.keys(placement))
    if (!tasks.some((task) => task.name === named))
      problems.push(`The placement names '${named}', which is no task of the workflow.`)
  const byName = new Map(tasks.map((task) => [task.name, task]))
  const links = edgesOf(workflow).map(({ from, to, data }): PlanLink => {
    const [parent, child] = [byName.get(from) as PlanTask, byName.get(to) as PlanTask]
    const ends = [tierRow(parent.tier), tierRow(child.tier)] as const
    // between functions, also of one edge node, the service hands on what one of them answers
    if (!ends.some((row) => row.perDevice)) return { from, to, data, transport: TRANSPORTS.handOver.protocol }
    const { protocol } = TRANSPORTS[transportBetween(...ends)]
    // what the service must see or hold back goes over the uplink, even from a device to itself
    const staysInside = !gated.has(to) && parent.scope !== 'swarm' && child.scope !== 'swarm'
    const transport = protocol === 'wire' && !staysInside ? TRANSPORTS.uplink.protocol : protocol
    return { from, to, data, transport }
  })
  return {
    schema: 'hivemind.plan/1',
    workflow: name,
    placement: Object.fromEntries(tasks.map((task) => [task.name, task.tier])),
    tasks,
    links,
    inputs: inputsOf(workflow),
    sinks: sinksOf(workflow).map((task) => task.name),
    names: {
      tasks: mangle(
        tasks.map((task) => task.name),
        AGENT_FUNCTIONS,
      ),
      data: mangle([...new Set(tasks.flatMap((task) => task.dataOut ?? []))], GATEWAY_FUNCTIONS),
    },
  }
}

/** The device, or the class of devices, that a pin names. */
function pinOf({ directives: { place } }: Task): { device?: string; deviceClass?: string } {
  if (!pinsToDevices(place) || place.target === 'all') return {}
  return /-\d+$/.test(place.target) ? { device: place.target } : { deviceClass: place.target }
}

/** What `Serial` and `Overlap` ask of a task. */
function relationsOf({ name, parents }: Task, { relations }: Workflow): Partial<PlanTask> {
  const serialAfter = relations.flatMap(({ kind, a, b, scope = 'device' as const }) =>
    kind === 'serial' && b === name ? [{ task: a, scope }] : [],
  )
  const overlaps = relations.flatMap(({ kind, a, b }) =>
    kind === 'overlap' && b === name && parents.includes(a) ? [a] : [],
  )
  return { ...(serialAfter.length > 0 && { serialAfter }), ...(overlaps.length > 0 && { overlaps }) }
}

/** What `Schedule`, `Data(rate)`, `Learn` and the state of a task ask for. */
function scheduleOf(task: Task, { data }: Workflow): Partial<PlanTask> {
  const { schedule, learn } = task.directives
  const stateKey = stateKeyOf(task)
  const rate =
    roleOf(task) === 'sensor' ? data.find(({ name }) => name === task.dataOut)?.rate?.value : undefined
  return {
    ...(stateKey !== null && { stateKey }),
    ...(schedule?.deadline && { deadlineMs: schedule.deadline.value }),
    ...(schedule?.onMiss && { onMiss: schedule.onMiss }),
    ...(rate !== undefined && rate > 0 && { paceMs: 1000 / rate }),
    ...(learn && { learn }),
  }
}

/**
 * Edge tasks that must wait for a task outside their device (`Serial` with a cloud task, or swarm-wide): what they read
 * comes through the service, which knows when they may start, and not over a wire of the device.
 */
function gatedTasks({ relations, tasks }: Workflow, placement: Placement): Set<string> {
  const onDevices = new Set<string>(TIERS.flatMap((row) => (row.perDevice ? [row.id] : [])))
  const isEdge = (name: string): boolean => onDevices.has(placement[name] ?? '')
  const readers = new Set(tasks.filter(({ parents }) => parents.length > 0).map(({ name }) => name))
  const gated = relations.flatMap(({ kind, a, b, scope }) => {
    if (kind !== 'serial') return []
    // Swarm-wide, each of the two may have to wait for the other one on another device.
    return scope === 'swarm' ? [a, b] : isEdge(a) ? [] : [b]
  })
  return new Set(gated.filter((name) => isEdge(name) && readers.has(name)))
}

function tierOf(task: Task, placement: Placement, scopes: Map<string, Scope>, problems: string[]): Tier {
  const tier = Object.hasOwn(placement, task.name) ? placement[task.name] : undefined
  if (tier === undefined) problems.push(`Task '${task.name}': the placement gives it no tier.`)
  if (tier !== undefined && !isTier(tier))
    problems.push(`Task '${task.name}': '${tier}' is no tier; the tiers are ${tierIds().join(', ')}.`)
  const row = TIERS.find(({ id }) => id === tier)
  if (row?.hardware === 'fabric' && !task.code.startsWith('nfu:'))
    problems.push(
      `Task '${task.name}' runs '${task.code}'; only a network function ('nfu:...') can run on the fabric.`,
    )
  if ((row?.perDevice || row?.hardware === 'nodes') && scopes.get(task.name) === 'swarm')
    problems.push(
      `Task '${task.name}' runs once for the swarm, so it cannot run on ${row.perDevice ? 'a device' : 'an edge node'}; place it in the cloud.`,
    )
  return row?.id ?? TIER_IDS[0]
}

function runtimeOf(task: Task, problems: string[]): Runtime {
  if (task.code.startsWith('nfu:')) return 'nfu'
  if (/\.m?js$/.test(task.code)) return 'node'
  if (task.code.endsWith('.py')) return 'python'
  problems.push(`Task '${task.name}': '${task.code}' is neither JavaScript (.js, .mjs) nor Python (.py).`)
  return 'node'
}

function argument(
  task: Task,
  name: 'timeout' | 'memory',
  dimension: 'time' | 'size',
  otherwise: number,
  problems: string[],
): number {
  const value = task.args[name]
  if (value === undefined || value === null) return otherwise
  const quantity = typeof value === 'string' ? parseQuantity(value, [dimension]) : null
  const fault = quantity && quantity.value > 0 ? boundsFault(name, quantity) : null
  if (quantity && quantity.value > 0 && !fault) return quantity.value
  const example = dimension === 'time' ? "'30s'" : "'512MB'"
  problems.push(
    `Task '${task.name}': ${fault ?? `${name}=${JSON.stringify(value)} must be a ${dimension} such as ${example}.`}`,
  )
  return otherwise
}

/**
 * A method name for each that Thrift and the stubs in every language take, and that is unique: the name itself, with
 * `_` behind it where it is taken or reserved, and `x_` before it where its beginning is.
 */
function mangle(names: string[], taken: string[]): Record<string, string> {
  const used = new Set([...taken, ...STUB_NAMES])
  const table: Record<string, string> = {}
  for (const name of names) {
    let mangled = name.replace(/[^A-Za-z0-9_]/g, '_')
    // Stubs keep their own state in `_iprot` and the like, and make `send_f` and `recv_f` for a method `f`.
    if (!/^(?!send_|recv_)[A-Za-z]/.test(mangled)) mangled = `x_${mangled}`
    while (used.has(mangled) || isReservedName(mangled)) mangled += '_'
    used.add(mangled)
    table[name] = mangled
  }
  return table
}
