/** Schemas of the domain values that cross HTTP; each must equal the type of the library that owns it. */
import type { Diagnostic as DiagnosticType } from '@hivemind/dsl'
import type {
  RunEvent as RunEventType,
  RunResult as RunResultType,
  Span as SpanType,
} from '@hivemind/orchestrator'
import {
  type Exploration as ExplorationType,
  PROFILE_COLUMNS,
  type ProfileColumn,
  type Profile as ProfileType,
  TIER_IDS,
} from '@hivemind/swarm'
import { z } from 'zod'

/** Compiles only when schema and type agree in both directions. */
const same =
  <T>() =>
  <S extends z.ZodType<T>>(schema: S): S =>
    schema

export const Tier = z.enum(TIER_IDS)
export const Placement = z.record(z.string(), Tier)

export const Breakdown = z.strictObject({
  network: z.number(),
  management: z.number(),
  dataExchange: z.number(),
  execution: z.number(),
})

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
  bandwidthMBps: z.number(),
  costPerHour: z.number(),
  costPerRun: z.number(),
})

const Distribution = z.strictObject({
  mean: z.number().min(0),
  quantiles: z.array(z.number().min(0)).min(2),
  samples: z.number().int().min(0),
})
/** A field of the same schema for every column of a profile. */
const profileColumns = <S>(schema: S) =>
  Object.fromEntries(PROFILE_COLUMNS.map((column) => [column, schema])) as Record<ProfileColumn, S>

const TierProfile = z.strictObject({
  serviceMs: Distribution,
  outputBytes: Distribution,
  outputsPerInvocation: z.number().min(0),
})
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

export const HandOverKind = z.enum(['store', 'direct', 'co-placed', 'remote-memory'])

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
    }),
  }),
)

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

export const RunState = z.enum(['queued', 'starting', 'running', 'succeeded', 'failed', 'cancelled'])

export const Span = same<SpanType>()(
  z.strictObject({
    task: z.string(),
    device: z.string(),
    seq: z.number().int(),
    tier: Tier,
    worker: z.string(),
    queuedAt: z.number(),
    startedAt: z.number(),
    endedAt: z.number(),
    breakdown: Breakdown,
    bytesIn: z.number(),
    bytesOut: z.number(),
    items: z.number().int(),
    status: z.enum(['ok', 'failed']),
    error: z.string().optional(),
    attempt: z.number().int(),
  }),
)

export const TaskState = z.strictObject({
  task: z.string(),
  tier: Tier,
  state: z.enum(['waiting', 'running', 'done', 'failed']),
  started: z.number().int(),
  done: z.number().int(),
  failed: z.number().int(),
})

export const LogLine = z.strictObject({
  at: z.number(),
  level: z.enum(['debug', 'info', 'warn', 'error']),
  source: z.string(),
  device: z.string().optional(),
  text: z.string(),
})

export const RunOutput = z.strictObject({
  task: z.string(),
  data: z.string(),
  device: z.string(),
  seq: z.number().int(),
  value: z.unknown(),
})

export const RunResult = same<RunResultType>()(
  z.strictObject({
    state: RunState,
    message: z.string().optional(),
    startedAt: z.number(),
    endedAt: z.number(),
    outputs: z.array(RunOutput),
    spans: z.array(Span),
    tasks: z.array(TaskState),
    losses: z.array(z.string()),
  }),
)

export const RunEvent = same<RunEventType>()(
  z.discriminatedUnion('type', [
    z.strictObject({
      type: z.literal('state'),
      at: z.number(),
      state: RunState,
      message: z.string().optional(),
    }),
    z.strictObject({ type: z.literal('task'), at: z.number(), task: TaskState }),
    z.strictObject({ type: z.literal('span'), at: z.number(), span: Span }),
    z.strictObject({ type: z.literal('log'), at: z.number(), line: LogLine }),
    z.strictObject({ type: z.literal('output'), at: z.number(), output: RunOutput }),
    z.strictObject({
      type: z.literal('device'),
      at: z.number(),
      device: z.string(),
      state: z.enum(['up', 'lost', 'respawned']),
      message: z.string(),
    }),
  ]),
)
