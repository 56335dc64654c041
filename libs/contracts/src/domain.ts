/** Schemas of the domain values that cross HTTP; each must equal the type of the library that owns it. */
import type { Diagnostic as DiagnosticType } from '@hivemind/dsl'
import {
  breakdownSchema,
  constraintResultSchema,
  DEPLOYABLE_HAND_OVERS,
  deviceEventSchema,
  type Exploration as ExplorationType,
  type Fleet as FleetType,
  fleetSchema,
  logLineSchema,
  PROFILE_COLUMNS,
  type ProfileColumn,
  type Profile as ProfileType,
  runEventSchema,
  runOutputSchema,
  runStateSchema,
  runSummarySchema,
  spanSchema,
  TIER_IDS,
  taskStateSchema,
  taskStatisticsSchema,
  tierSchema,
} from '@hivemind/swarm'
import { z } from 'zod'
import { zodOf } from './from-schema.ts'

/** Compiles only when schema and type agree in both directions. */
const same =
  <T>() =>
  <S extends z.ZodType<T>>(schema: S): S =>
    schema

/** Where a task runs. */
export const Tier = zodOf(tierSchema)
/** A tier for every task of the workflow. */
export const Placement = z.record(z.string(), Tier)
/** Parts of a time, in ms. */
export const Breakdown = zodOf(breakdownSchema)

/** Figures of one placement, estimated: times in ms, energy in J, money in $. */
export const Estimate = z.strictObject({
  latencyMs: z.strictObject({ p50: z.number(), p99: z.number(), mean: z.number() }),
  breakdown: Breakdown,
  perTask: z.record(
    z.string(),
    z.strictObject({ p50Ms: z.number(), p99Ms: z.number(), breakdown: Breakdown, tier: Tier }),
  ),
  execTimeMs: z.number(),
  throughput: z.number(),
  energyJ: z.number(),
  energyShare: z.number(),
  maxEnergyJ: z.number().optional(),
  maxEnergyShare: z.number().optional(),
  bandwidthMBps: z.number(),
  costPerHour: z.number(),
  costPerRun: z.number(),
  missedDeadlines: z.record(z.string(), z.number()).optional(),
  edgeNodes: z.strictObject({ busyShare: z.number(), energyJ: z.number() }).optional(),
  assumed: z.array(z.string()).optional(),
})

/** Largest figure of a profile, in ms, bytes or items: far more than any task, and what it multiplies to stays finite. */
const MAX_PROFILED = 1e15
const Profiled = z.number().min(0).max(MAX_PROFILED)
const Distribution = z.strictObject({
  mean: Profiled,
  quantiles: z.array(Profiled).min(2),
  samples: z.number().int().min(0),
})
/** A field of the same schema for every column of a profile. */
const profileColumns = <S>(schema: S) =>
  Object.fromEntries(PROFILE_COLUMNS.map((column) => [column, schema])) as Record<ProfileColumn, S>

const TierProfile = z.strictObject({
  serviceMs: Distribution,
  outputBytes: Distribution,
  outputsPerInvocation: Profiled,
})
/** What each task takes and emits in each column of the table of tiers: times in ms, sizes in bytes. */
export const Profile = same<ProfileType>()(
  z.strictObject({
    schema: z.literal('hivemind.profile/1'),
    note: z.string(),
    tasks: z.record(
      z.string(),
      z.strictObject({
        origin: z.enum(['measured', 'assumed']),
        ...profileColumns(TierProfile.optional()),
      }),
    ),
  }),
)

/** One placement of an exploration with its estimate, and whether it is on the front and meets the constraints. */
export const Candidate = z.strictObject({
  id: z.string(),
  placement: Placement,
  baseline: z.enum(TIER_IDS.map((tier) => `all-${tier}` as const)).optional(),
  estimate: Estimate,
  method: z.enum(['simulated', 'closed-form']).optional(),
  pareto: z.boolean(),
  meets: z.boolean(),
  violations: z.array(
    z.strictObject({ key: z.string(), limit: z.number(), value: z.number(), message: z.string() }),
  ),
  p99IntervalMs: z.strictObject({ low: z.number(), high: z.number() }).optional(),
  tiedWith: z.array(z.string()).optional(),
})

/** How cloud functions pass data to each other. */
export const HandOverKind = z.enum(['store', 'direct', 'co-placed', 'remote-memory'])
/** Those of them that a deployment can have. */
export const DeployableHandOver = z.enum(DEPLOYABLE_HAND_OVERS)

/** Devices, link and cloud, with their figures. */
export const Fleet = same<FleetType>()(zodOf(fleetSchema))

/** The result of an exploration: candidates, the ids of the front, what the rules removed, and what it was made from. */
export const Exploration = same<ExplorationType>()(
  z.strictObject({
    schema: z.literal('hivemind.exploration/1'),
    candidates: z.array(Candidate),
    front: z.array(z.string()),
    pruned: z.strictObject({ count: z.number().min(0), byRule: z.record(z.string(), z.number().min(0)) }),
    note: z.string().optional(),
    proof: z
      .strictObject({
        kind: z.enum(['enumerated', 'exact-filter', 'heuristic']),
        epsilon: z.number().min(0).optional(),
        judged: z.number().int(),
      })
      .optional(),
    cancelled: z.strictObject({ done: z.number().int().min(0), of: z.number().int().min(0) }).optional(),
    inputs: z.strictObject({
      seed: z.number().int(),
      fleet: z.string(),
      devices: z.number().int(),
      profile: Profile,
      itemsPerDevice: z.number(),
      handOver: HandOverKind.optional(),
      fleetUsed: Fleet.optional(),
    }),
  }),
)

/** One fault of a text: its code, place (offsets; line and column from 1) and fixes. */
export const Diagnostic = same<DiagnosticType>()(
  z.strictObject({
    code: z.string(),
    severity: z.enum(['error', 'warning', 'hint']),
    from: z.number().int(),
    to: z.number().int(),
    line: z.number().int(),
    column: z.number().int(),
    message: z.string(),
    fixes: z.array(
      z.strictObject({
        title: z.string(),
        changes: z.array(
          z.strictObject({ from: z.number().int(), to: z.number().int(), insert: z.string() }),
        ),
        certain: z.boolean(),
      }),
    ),
    task: z.string().optional(),
  }),
)

/** Where a run is; the last three are final. */
export const RunState = zodOf(runStateSchema)
/** One invocation of a task, as measured. */
export const Span = zodOf(spanSchema)
/** Progress of one task over the whole swarm. */
export const TaskState = zodOf(taskStateSchema)
/** Spans of one task, in figures. */
export const TaskStatistics = zodOf(taskStatisticsSchema)
/** A line that a task, an agent or the run itself has logged. */
export const LogLine = zodOf(logLineSchema)
/** A value that a run gives: its preview, and where the whole value is kept. */
export const RunOutput = zodOf(runOutputSchema)
/** How a run did on one constraint of its workflow. */
export const ConstraintResult = zodOf(constraintResultSchema)
/** What happened to a device during a run. */
export const DeviceEvent = zodOf(deviceEventSchema)
/** A run without its spans. */
export const RunSummary = zodOf(runSummarySchema)
/** What a run reports while it goes on. */
export const RunEvent = zodOf(runEventSchema)
