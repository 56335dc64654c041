/** The nouns of the HTTP interface and what may be sent to change them. All instants are ISO 8601 strings. */
import { z } from 'zod'
import {
  Candidate,
  DeployableHandOver,
  DeviceEvent,
  Diagnostic,
  Estimate,
  Exploration,
  Fleet,
  HandOverKind,
  LogLine,
  Placement,
  Profile,
  RunState,
  RunSummary,
  Span,
  TaskStatistics,
  Tier,
} from './domain.ts'
import { TargetName } from './targets.ts'

export * from './targets.ts'

/** An id: 1 to 64 small letters, digits and hyphens. */
export const Id = z.string().regex(/^[a-z0-9][a-z0-9-]{0,63}$/)
const Instant = z.iso.datetime()

/** Positions, colours, notes and groups of the canvas, keyed by task name; never part of the workflow's meaning. */
export const Layout = z.strictObject({
  nodes: z.record(
    z.string(),
    z.strictObject({
      x: z.number(),
      y: z.number(),
      colour: z.string().max(32).optional(),
      note: z.string().max(4000).optional(),
      group: z.string().max(60).optional(),
    }),
  ),
})

/** Largest number of a version: what its column of the database holds. */
const MAX_VERSION = 2 ** 31 - 1
/** Number of a version; the first is 1. */
export const VersionNumber = z.number().int().min(1).max(MAX_VERSION)

/** As much as the language takes (HM121). */
export const WorkflowText = z.string().max(2_000_000)
/** A name for people: 1 to 80 characters, blanks at both ends removed. */
export const Name = z.string().trim().min(1).max(80)

/** An example that a project can start from. */
export const Example = z.strictObject({
  id: Id,
  title: z.string(),
  summary: z.string(),
  tasks: z.number().int(),
  readme: z.string(),
})

/** A project: a folder of files and the versions of its workflow. */
export const Project = z.strictObject({
  id: Id,
  name: Name,
  /** File name of the workflow within the project, `NAME.hive.py`. */
  workflowFile: z.string(),
  example: Id.optional(),
  /** Number of the newest version. */
  headVersion: z.number().int(),
  createdAt: Instant,
  updatedAt: Instant,
})

/** A project to be made: empty, from an example, or from a text. */
export const NewProject = z.strictObject({
  name: Name,
  /** Start from an example: its text, code, data and profile are copied. */
  example: Id.optional(),
  /** Or from the text of a `.hive.py` file. */
  text: WorkflowText.optional(),
})

/** A file of a version. */
export const VersionFile = z.strictObject({
  path: z.string(),
  /** sha-256 of the content, hexadecimal. */
  hash: z.string(),
  bytes: z.number().int(),
})
/** A version without its content. */
export const VersionSummary = z.strictObject({
  number: z.number().int(),
  message: z.string(),
  /** Name of who saved it; empty when it was saved before that was kept. */
  author: z.string(),
  createdAt: Instant,
  tasks: z.number().int(),
  errors: z.number().int(),
  /** `adopted`: the version was saved before versions kept files, and was given those of a later day. */
  filesFrom: z.enum(['saved', 'adopted']),
})
/** A version: its text, where the tasks stand on the canvas, and its files. */
export const Version = VersionSummary.extend({
  text: WorkflowText,
  layout: Layout,
  files: z.array(VersionFile),
})
/** How a file differs; `bytes` is its size now, or what it was when it was removed. */
export const FileChange = z.strictObject({
  path: z.string(),
  change: z.enum(['added', 'changed', 'removed']),
  bytes: z.number().int(),
})
/** What a version changed against another; `from` 0 is nothing at all. */
export const VersionChanges = z.strictObject({
  from: z.number().int(),
  version: z.number().int(),
  text: z.boolean(),
  files: z.array(FileChange),
})
/** Changes of the project's files since its newest version: the next version will have them. */
export const UnsavedFiles = z.strictObject({ version: z.number().int(), files: z.array(FileChange) })

/** A text to be saved as the next version, with the files of the project as they are. */
export const NewVersion = z.strictObject({
  /** The version this one was made from; 409 when it no longer is the newest. */
  base: z
    .number()
    .int()
    .min(0)
    .max(MAX_VERSION - 1),
  text: WorkflowText,
  layout: Layout,
  message: z.string().max(500).default(''),
})

/** A file in the folder of a project. */
export const ProjectFile = z.strictObject({ path: z.string(), bytes: z.number().int(), modifiedAt: Instant })

/** A file that was written; `hash` is the SHA-256 of its content, as ETag of the file has it. */
export const SavedFile = ProjectFile.extend({ hash: z.string() })

/** A text to be checked; with a project, its code files are looked for too. */
export const CheckRequest = z.strictObject({ text: WorkflowText, project: Id.optional() })
/** What is wrong with a text; empty when nothing is. */
export const CheckAnswer = z.strictObject({ diagnostics: z.array(Diagnostic) })

/** A fleet that explorations can name. */
export const FleetSummary = z.strictObject({
  name: z.string(),
  label: z.string(),
  devices: z.number().int(),
  classes: z.array(z.string()),
  /** Name of its edge nodes, as in `Place(task, 'Edge:NAME')`; absent when it has none. */
  edgeNodes: z.string().optional(),
  /** How its cloud functions may hand data over; the first is its own way. */
  handOvers: z.array(HandOverKind),
  /** Kept with a project, where it can be changed; otherwise it ships with HiveMind. */
  own: z.boolean(),
  /** Why its file cannot be used, which somebody has changed by hand; absent when it can. */
  problem: z.string().optional(),
})
/** A fleet of a project, whole. */
export const ProjectFleet = z.strictObject({
  fleet: Fleet,
  /** Hash of its content, which a change names as `expected`; absent for a fleet that ships with HiveMind. */
  hash: z.string().optional(),
})

/** Where a job is; the last three are final. */
export const JobState = z.enum(['queued', 'running', 'done', 'failed', 'cancelled'])
/** How far a job of any kind is. */
export const Job = z.strictObject({
  state: JobState,
  /** Name of the step it is at; empty before the first. */
  stage: z.string(),
  /** 0..1. */
  progress: z.number(),
  /** What it is doing, or why it failed. */
  message: z.string(),
  createdAt: Instant,
  endedAt: Instant.optional(),
})

/** A line that a job has logged. */
export const JobLogLine = z.strictObject({
  /** ms since 1970. */
  at: z.number(),
  level: z.enum(['debug', 'info', 'warn', 'error']),
  text: z.string(),
})
/** Lines of a job's log, oldest first. */
export const JobLogPage = z.strictObject({
  lines: z.array(JobLogLine),
  /** Give it as `after` for the next page; absent on the last page. */
  next: z.number().int().optional(),
})
/** A file that a job has kept. */
export const Artefact = z.strictObject({
  name: z.string(),
  /** Media type. */
  type: z.string(),
  /** sha-256 of the content, hexadecimal. */
  hash: z.string(),
  bytes: z.number().int(),
})
/** A job of any kind. Its kind says what request and result are. */
export const JobRecord = z.strictObject({
  id: Id,
  kind: z.string(),
  /** Absent when the job belongs to no project. */
  project: Id.optional(),
  request: z.unknown(),
  job: Job,
  /** Absent in lists and events. */
  artefacts: z.array(Artefact).optional(),
  /** Absent in lists and events, and when there is none. */
  result: z.unknown().optional(),
})

/** What to explore: a version on a fleet, with a seed. */
export const NewExploration = z.strictObject({
  version: VersionNumber,
  fleet: z.string().default('paper-drones'),
  devices: z.number().int().min(1).max(10_000).optional(),
  itemsPerDevice: z.number().int().min(1).max(100_000).optional(),
  /** Instead of the fleet's own way; it need not be deployable. */
  handOver: HandOverKind.optional(),
  seed: z
    .number()
    .int()
    .min(0)
    .max(2 ** 31 - 1)
    .default(1),
})
/** An exploration as a job: the request, how far it is, and its result. */
export const ExplorationJob = z.strictObject({
  id: Id,
  project: Id,
  request: NewExploration,
  job: Job,
  /**
   * Present in events while it is running: the front of the candidates simulated so far, at most 60 of them and without
   * placements and tasks.
   */
  soFar: z
    .strictObject({
      front: z.array(Candidate),
      done: z.number().int().min(0),
      of: z.number().int().min(0),
    })
    .optional(),
  /** Present when done; when cancelled, if candidates were simulated by then (`cancelled`). */
  result: Exploration.optional(),
})

/** What to measure: a version on this many agents, with this many items. */
export const NewProfileJob = z.strictObject({
  version: VersionNumber,
  agents: z.number().int().min(1).max(64).default(2),
  itemsPerDevice: z.number().int().min(1).max(100_000).default(8),
})
/** Takes what a run measured into the profile of its project: of some tasks, or of all that it ran. */
export const ProfileMeasurement = z.strictObject({
  run: Id,
  tasks: z.array(z.string().min(1).max(200)).min(1).max(10_000).optional(),
})
/** A measurement of a profile as a job; its result is the profile of the project. */
export const ProfileJob = z.strictObject({ id: Id, project: Id, request: NewProfileJob, job: Job })
/** The profile that explorations of a project use, and where it is from. */
export const ProjectProfile = z.strictObject({
  profile: Profile,
  origin: z.enum(['assumed', 'example', 'measured', 'imported']),
  updatedAt: Instant.optional(),
})

/** Id of a device of another machine. */
const DeviceId = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/,
    "use letters, digits, '_' and '-', at most 64, and begin with a letter or digit",
  )
/** What to deploy: a version with a placement, on so many devices. */
export const NewDeployment = z.strictObject({
  version: VersionNumber,
  placement: Placement,
  /** The exploration and candidate it was chosen from, for the record. */
  exploration: Id.optional(),
  candidate: z.string().max(64).optional(),
  agents: z.number().int().min(1).max(64).default(2),
  /** Instead of `agents` devices of any class: how many of each class. */
  classes: z
    .record(z.string().min(1).max(64), z.number().int().min(1).max(64))
    .refine((classes) => Object.keys(classes).length > 0, 'names no class of devices')
    .optional(),
  /** Enrolled devices of other machines, by id. With them no `agents` are started; `classes` of this machine may stand beside. */
  devices: z.array(DeviceId).min(1).max(1000).optional(),
  /** How many edge nodes this machine plays, where tasks are placed on them; devices are dealt out to them in turn. */
  edgeNodes: z.number().int().min(1).max(16).default(1),
  /** Instead of `edgeNodes`: enrolled devices of other machines that are the edge nodes, by id. None of them is among `devices`. */
  edgeMachines: z.array(DeviceId).min(1).max(16).optional(),
  /**
   * How its cloud functions hand data over: `co-placed` puts a function into the container of those before it where it can be there.
   * Through the store when absent.
   */
  handOver: DeployableHandOver.optional(),
  /** Name of a cluster that its functions run on; the usual target of the service when absent. */
  target: TargetName.optional(),
  /** Start it beside the running deployments of the project; otherwise it takes the place of the newest one of its target. */
  beside: z.boolean().default(false),
  /** Try the new functions on a share of the calls of runs on the deployment before, which serves on when they do worse. */
  canary: z
    .strictObject({
      share: z.number().min(0.01).max(0.5).default(0.1),
      /** Calls of the new functions after which they are judged. */
      calls: z.number().int().min(1).max(10_000).default(30),
      /** Longest time until then. */
      minutes: z.number().int().min(1).max(120).default(10),
    })
    .optional(),
})
/**
 * What becomes of one object of a cluster: its YAML as it is and as it is to be, each line after a space (in both), a minus (only now) or
 * a plus (only then). What Secrets and files hold is not shown.
 */
export const ObjectChange = z.strictObject({
  kind: z.string(),
  name: z.string(),
  action: z.enum(['create', 'change', 'remove', 'keep']),
  diff: z.string(),
  bytes: z.number().int().optional(),
})
/** What a deployment would change, or keep, of the one it follows. */
export const DeploymentChange = z.strictObject({
  kind: z.enum(['function', 'agent']),
  name: z.string(),
  action: z.enum(['create', 'change', 'remove', 'keep']),
  why: z.string(),
  objects: z.array(ObjectChange).optional(),
})
/** What a deployment would change of the one it follows, and what it needs of the cluster where its functions run. */
export const DeploymentPlan = z.strictObject({
  changes: z.array(DeploymentChange),
  needs: z.array(z.strictObject({ level: z.enum(['ok', 'warning', 'error']), message: z.string() })),
})
/** A device of another machine to enrol: its id and the name of its class. */
export const NewDevice = z.strictObject({ id: DeviceId, class: z.string().min(1).max(64).default('device') })
/** What the agent of an enrolled device is started with. The token is shown this once. */
export const DeviceCredential = z.strictObject({
  /** URL of the MQTT broker. */
  broker: z.string(),
  /** Certificates, as PEM, of the authorities that vouch for the service and the broker; absent where the usual ones do, or nothing needs one. */
  ca: z.string().optional(),
  fleet: z.string(),
  device: z.string(),
  class: z.string(),
  token: z.string(),
})
/** Where devices dial in. */
export const DialIn = z.strictObject({
  /** URL of the MQTT broker. */
  broker: z.string(),
  /** URL at which they exchange values. */
  values: z.string(),
  /** Those of the two that only the service's own machine reaches; none when devices of other machines may dial in. */
  onlyHere: z.array(z.string()),
})
/** A device that was enrolled or has called in. */
export const Device = z.strictObject({
  id: z.string(),
  class: z.string(),
  state: z.enum(['enrolled', 'online', 'gone']),
  /** Of another machine, with a credential of its own; otherwise an agent of a deployment on the service's machine. */
  enrolled: z.boolean(),
  version: z.string(),
  cores: z.number(),
  memoryMB: z.number(),
  seenAt: Instant.optional(),
  telemetry: z
    .strictObject({
      cpu: z.number().optional(),
      memoryUsedMB: z.number().optional(),
      memoryMB: z.number().optional(),
      batteryWh: z.number().optional(),
      capacityWh: z.number().optional(),
      roundTripMs: z.number().optional(),
      position: z.strictObject({ x: z.number(), y: z.number() }).optional(),
    })
    .optional(),
})
/** A function or an agent of a deployment. */
export const DeploymentResource = z.strictObject({
  kind: z.enum(['function', 'agent']),
  name: z.string(),
  state: z.enum(['starting', 'ready', 'failed', 'stopped']),
  pid: z.number().int().optional(),
  /** On a cluster: the revision that gets the calls, its ready containers, and how many take calls past the ingress. */
  containers: z
    .strictObject({
      revision: z.string(),
      ready: z.number().int().min(0),
      direct: z.number().int().min(0),
    })
    .optional(),
  message: z.string().optional(),
})
/** A deployment: what was asked for, its state and its resources. */
export const DeploymentRecord = z.strictObject({
  id: Id,
  project: Id,
  request: NewDeployment,
  state: z.enum(['starting', 'ready', 'failed', 'stopped']),
  message: z.string(),
  resources: z.array(DeploymentResource),
  /** The candidate's estimate for the fleet it really runs on: this machine. */
  estimate: Estimate.optional(),
  createdAt: Instant,
})

/**
 * A run to be started: values of the inputs by data name, and the maximum number of items of each sensor and device. With `from`,
 * only a task and what follows it, with the values that an earlier run has kept of the tasks before: of all items, or of one.
 * With `traceparent` (W3C) the run is part of that trace; the header of that name does the same.
 */
export const NewRun = z.strictObject({
  inputs: z.record(z.string(), z.unknown()).default({}),
  itemsPerDevice: z.number().int().min(1).max(100_000).optional(),
  from: z
    .strictObject({
      run: Id,
      task: z.string().min(1).max(200),
      item: z.strictObject({ device: z.string().min(1).max(200), seq: z.number().int().min(0) }).optional(),
    })
    .optional(),
  traceparent: z
    .string()
    .regex(/^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/)
    .optional(),
})
/** A run without what it reports. */
export const RunRecord = z.strictObject({
  id: Id,
  project: Id,
  deployment: Id,
  request: NewRun,
  state: RunState,
  message: z.string(),
  createdAt: Instant,
  endedAt: Instant.optional(),
})
/** A run in a list: with what it ran, where, and its figures. */
export const RunListing = RunRecord.extend({
  version: VersionNumber,
  /** The cluster it ran on; absent on the usual target of the service. */
  target: TargetName.optional(),
  /** From its start to its end, in ms; absent while it has not ended, or never started. */
  tookMs: z.number().optional(),
  /** Invocations so far, repetitions included; absent while not counted, as of a run that was cut short. */
  invocations: z.number().int().optional(),
  /** How many of them failed. */
  failed: z.number().int().optional(),
})
/** A run with all it has reported so far, except its spans; `result` is complete once `state` is final. */
export const RunDetail = RunRecord.extend({
  /** Of the outputs the newest 5,000. */
  result: RunSummary,
  /** Number of outputs, those that are not in `result` included: the last of them has index `outputCount - 1`. */
  outputCount: z.number().int(),
  /** The first 5,000. */
  logs: z.array(LogLine),
  devices: z.array(DeviceEvent),
  /** Figures of each task over all spans so far. */
  statistics: z.array(TaskStatistics),
  spanCount: z.number().int(),
  /** Id of the newest event that this answer contains; later events have greater ids. */
  lastEvent: z.number().int(),
})

/** Spans of a run in the order in which they ended. */
export const SpanPage = z.strictObject({
  spans: z.array(Span),
  /** Give it as `after` for the next page; absent on the last page. */
  next: z.number().int().optional(),
})

/** Figures of a run so far, for those who follow it. */
export const RunStatistics = z.strictObject({
  statistics: z.array(TaskStatistics),
  spanCount: z.number().int(),
})

/** One figure of a run in the simulation and as measured; `deviation` is simulated / measured - 1. */
export const ComparedFigure = z.strictObject({
  simulatedMs: z.number(),
  measuredMs: z.number(),
  /** `null` where nothing was measured. */
  deviation: z.number().nullable(),
})
/** The estimate of a deployment beside what its runs measured, by the definitions of the simulation. */
export const DeploymentComparison = z.strictObject({
  deployment: Id,
  /** The profile that the estimate was made with: the one of the time of deployment, or the project's of now. */
  profile: z.enum(['deployed', 'now']),
  /** The runs that were measured, newest first: succeeded, and with as many items as the newest. Empty before a run. */
  runs: z.array(Id),
  /**
   * Other runs of the same kind, whose spans told the estimate what calls take. Empty with the profile of the time of
   * deployment and where there is one run only: calls then take what they do by default.
   */
  callsFrom: z.array(Id),
  /** Most items of each sensor and device, where the runs were given a number. */
  itemsPerDevice: z.number().int().optional(),
  /** Each task, and last, with `task: null`, the way of an item from end to end. Medians over the runs. */
  rows: z.array(
    z.strictObject({
      task: z.string().nullable(),
      tier: Tier.nullable(),
      /** Latencies measured in each run. */
      samples: z.number(),
      p50: ComparedFigure,
      p99: ComparedFigure,
    }),
  ),
  /** From the start of a run to its end; absent before a run. */
  run: ComparedFigure.optional(),
})

/** The password of somebody who signs in. */
export const NewSession = z.strictObject({ password: z.string().min(1).max(1000) })
/** Who the request counts as. */
export const Session = z.strictObject({
  /** False on a machine of one's own: no password is set and everybody who reaches the service may use it. */
  passwordRequired: z.boolean(),
  /** Who the request counts as; absent when nobody is signed in. */
  principal: z.strictObject({ name: z.string() }).optional(),
})

/** RFC 9457 problem details; `errors` name the fields. */
export const Problem = z.strictObject({
  type: z.string(),
  title: z.string(),
  status: z.number().int(),
  detail: z.string(),
  errors: z.array(z.strictObject({ field: z.string(), message: z.string() })).optional(),
})
