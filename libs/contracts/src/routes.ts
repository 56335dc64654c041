/**
 * Every route, once: the API's controllers, the OpenAPI document and so the web's client follow this table.
 * All paths are below `/api`. A failure is `application/problem+json` (`Problem`).
 */
import { z } from 'zod'
import { accessKeyRoutes } from './access-key-routes.ts'
import { Fleet, Profile, RunState } from './domain.ts'
import { fabricRoutes } from './fabric-routes.ts'
import { networkFunctionRoutes } from './network-function-routes.ts'
import * as r from './resources.ts'
import { type Route, route } from './route.ts'
import { storeRoutes } from './store-routes.ts'
import { targetRoutes } from './target-routes.ts'

export type { Route } from './route.ts'

/** Answer of `GET /health`. */
export const Health = z.strictObject({
  status: z.literal('ok'),
  version: z.string(),
  database: z.string(),
  /** Whether task code runs in a sandbox (`on`), with the rights of the service (`off`), or not at all (`refused`). */
  sandbox: z.enum(['on', 'off', 'refused']),
  /** Where tasks in the cloud run: on this machine (`local`), or on a cluster (`knative`). */
  target: z.enum(['local', 'knative']),
})

/** Answer of `GET /alive`. */
export const Alive = z.strictObject({
  /** A service that stands by answers nothing else until the active one has ended. */
  role: z.enum(['active', 'stand-by']),
})

/** Part of a list: at most `limit` entries behind the one whose id is `after`. */
const page = {
  limit: z.coerce.number().int().min(1).max(1_000).default(100),
  after: r.Id.optional(),
}
const PAGE =
  'The next page is asked for with `after`, the last id of this one; a page with fewer than `limit` is the last'

/** Hash of the content that is replaced, or `none` when there must be no such fleet. */
const FleetHash = z.string().max(64)

/** Every route of the API, by the name of its operation. */
export const routes = {
  health: route({
    method: 'get',
    path: '/health',
    summary: 'Whether the service is up',
    answer: Health,
    status: 200,
    open: true,
  }),
  alive: route({
    method: 'get',
    path: '/alive',
    summary: 'Whether the process is there, and whether it is the active service or stands by',
    answer: Alive,
    status: 200,
    open: true,
  }),
  metrics: route({
    method: 'get',
    path: '/metrics',
    summary: 'What the service counts about itself, for Prometheus',
    answer: 'text/plain',
    status: 200,
  }),
  getSession: route({
    method: 'get',
    path: '/session',
    summary: 'Whether a password is needed, and who is signed in',
    answer: r.Session,
    status: 200,
    open: true,
  }),
  signIn: route({
    method: 'post',
    path: '/session',
    summary: 'Sign in with the password; the answer sets the session cookie',
    body: r.NewSession,
    answer: null,
    status: 204,
    open: true,
    form: true,
  }),
  signOut: route({
    method: 'delete',
    path: '/session',
    summary: 'End the session',
    answer: null,
    status: 204,
    open: true,
  }),
  openapi: route({
    method: 'get',
    path: '/openapi.json',
    summary: 'This document',
    answer: z.unknown(),
    status: 200,
  }),
  events: route({
    method: 'get',
    path: '/events',
    summary: 'Live events; with `after` or the header Last-Event-ID first those that came after that id',
    query: z.strictObject({ topics: z.string().max(1000), after: z.coerce.number().int().min(0).optional() }),
    answer: 'text/event-stream',
    status: 200,
  }),

  listExamples: route({
    method: 'get',
    path: '/examples',
    summary: 'The examples',
    answer: z.array(r.Example),
    status: 200,
  }),
  listFleets: route({
    method: 'get',
    path: '/fleets',
    summary: 'The fleets that ship with HiveMind',
    answer: z.array(r.FleetSummary),
    status: 200,
  }),
  check: route({
    method: 'post',
    path: '/check',
    summary: 'Diagnostics of a text',
    body: r.CheckRequest,
    answer: r.CheckAnswer,
    status: 200,
  }),

  listProjects: route({
    method: 'get',
    path: '/projects',
    summary: `Projects by page, newest change first. ${PAGE}`,
    query: z.strictObject(page),
    answer: z.array(r.Project),
    status: 200,
  }),
  createProject: route({
    method: 'post',
    path: '/projects',
    summary: 'A project from an example, a text or nothing',
    body: r.NewProject,
    answer: r.Project,
    status: 201,
  }),
  getProject: route({
    method: 'get',
    path: '/projects/{project}',
    summary: 'One project',
    answer: r.Project,
    status: 200,
  }),
  renameProject: route({
    method: 'patch',
    path: '/projects/{project}',
    summary: 'Rename it',
    body: z.strictObject({ name: r.Name }),
    answer: r.Project,
    status: 200,
  }),
  deleteProject: route({
    method: 'delete',
    path: '/projects/{project}',
    summary: 'Delete it with all it holds',
    answer: null,
    status: 204,
  }),

  listVersions: route({
    method: 'get',
    path: '/projects/{project}/versions',
    summary: `Versions by page, newest first. ${PAGE}`,
    query: z.strictObject({ ...page, after: z.coerce.number().pipe(r.VersionNumber).optional() }),
    answer: z.array(r.VersionSummary),
    status: 200,
  }),
  getVersion: route({
    method: 'get',
    path: '/projects/{project}/versions/{version}',
    summary: 'One version',
    answer: r.Version,
    status: 200,
  }),
  saveVersion: route({
    method: 'post',
    path: '/projects/{project}/versions',
    summary: 'Save the text and the files of now as a new version; 409 when base is not the newest',
    body: r.NewVersion,
    answer: r.Version,
    status: 201,
  }),
  rollBack: route({
    method: 'post',
    path: '/projects/{project}/versions/{version}/roll-back',
    summary:
      'Save a new version with the text and files of this one, and restore those files; 409 when base is not the newest',
    body: z.strictObject({ base: r.VersionNumber }),
    answer: r.Version,
    status: 201,
  }),
  compareVersions: route({
    method: 'get',
    path: '/projects/{project}/versions/{version}/changes',
    summary: 'What it changed against another version, by default the one before',
    query: z.strictObject({
      from: z.coerce
        .number()
        .int()
        .min(0)
        .max(2 ** 31 - 1)
        .optional(),
    }),
    answer: r.VersionChanges,
    status: 200,
  }),
  getVersionFile: route({
    method: 'get',
    path: '/projects/{project}/versions/{version}/file',
    summary: 'Content of a file as the version has it',
    query: z.strictObject({ path: z.string().max(500) }),
    answer: 'application/octet-stream',
    status: 200,
  }),
  unsavedFiles: route({
    method: 'get',
    path: '/projects/{project}/unsaved-files',
    summary: 'Changes of files that no version has yet',
    answer: r.UnsavedFiles,
    status: 200,
  }),

  listFiles: route({
    method: 'get',
    path: '/projects/{project}/files',
    summary: 'Task code and data',
    answer: z.array(r.ProjectFile),
    status: 200,
  }),
  getFile: route({
    method: 'get',
    path: '/projects/{project}/file',
    summary: 'Content of a file; ETag is its hash, for files of at most 1 MB',
    query: z.strictObject({ path: z.string().max(500) }),
    answer: 'application/octet-stream',
    status: 200,
  }),
  putFile: route({
    method: 'put',
    path: '/projects/{project}/file',
    summary: 'Write a text file; 409 when its content is not the expected one',
    query: z.strictObject({
      path: z.string().max(500),
      /** Hash of the content that is replaced, or `none` when there must be no such file; not looked at when absent. */
      expected: z.string().max(64).optional(),
    }),
    body: z.strictObject({ text: z.string().max(1_000_000) }),
    answer: r.SavedFile,
    status: 200,
  }),
  deleteFile: route({
    method: 'delete',
    path: '/projects/{project}/file',
    summary: 'Delete a file',
    query: z.strictObject({ path: z.string().max(500) }),
    answer: null,
    status: 204,
  }),

  listProjectFleets: route({
    method: 'get',
    path: '/projects/{project}/fleets',
    summary: 'The fleets to explore on: those that ship with HiveMind, and the own ones of the project',
    answer: z.array(r.FleetSummary),
    status: 200,
  }),
  getProjectFleet: route({
    method: 'get',
    path: '/projects/{project}/fleets/{fleet}',
    summary: 'One fleet',
    answer: r.ProjectFleet,
    status: 200,
  }),
  putProjectFleet: route({
    method: 'put',
    path: '/projects/{project}/fleets/{fleet}',
    summary: 'Make or replace an own fleet of the project; 409 when its content is not the expected one',
    query: z.strictObject({ expected: FleetHash }),
    body: Fleet,
    answer: r.ProjectFleet,
    status: 200,
  }),
  deleteProjectFleet: route({
    method: 'delete',
    path: '/projects/{project}/fleets/{fleet}',
    summary:
      'Delete an own fleet; explorations made on it keep their copy. 409 when its content is not the expected one',
    query: z.strictObject({ expected: FleetHash.optional() }),
    answer: null,
    status: 204,
  }),

  getProfile: route({
    method: 'get',
    path: '/projects/{project}/profile',
    summary: 'The profile explorations use',
    answer: r.ProjectProfile,
    status: 200,
  }),
  importProfile: route({
    method: 'put',
    path: '/projects/{project}/profile',
    summary: 'Replace it',
    body: Profile,
    answer: r.ProjectProfile,
    status: 200,
  }),
  measureProfile: route({
    method: 'post',
    path: '/projects/{project}/profile/measurements',
    summary:
      'Take what a run measured into it: times and sizes of some tasks, or of all, on the tier where they ran; the rest stays',
    body: r.ProfileMeasurement,
    answer: r.ProjectProfile,
    status: 200,
  }),
  startProfile: route({
    method: 'post',
    path: '/projects/{project}/profile-jobs',
    summary: 'Measure it on the local target',
    body: r.NewProfileJob,
    answer: r.ProfileJob,
    status: 202,
  }),
  getProfileJob: route({
    method: 'get',
    path: '/profile-jobs/{job}',
    summary: 'One measurement',
    answer: r.ProfileJob,
    status: 200,
  }),
  cancelProfileJob: route({
    method: 'post',
    path: '/profile-jobs/{job}/cancel',
    summary: 'Cancel it',
    answer: r.ProfileJob,
    status: 200,
  }),

  listExplorations: route({
    method: 'get',
    path: '/projects/{project}/explorations',
    summary: `Explorations by page, newest first, without results. ${PAGE}`,
    query: z.strictObject(page),
    answer: z.array(r.ExplorationJob),
    status: 200,
  }),
  startExploration: route({
    method: 'post',
    path: '/projects/{project}/explorations',
    summary: 'Explore the placements',
    body: r.NewExploration,
    answer: r.ExplorationJob,
    status: 202,
  }),
  getExploration: route({
    method: 'get',
    path: '/explorations/{exploration}',
    summary: 'One exploration with its result',
    answer: r.ExplorationJob,
    status: 200,
  }),
  cancelExploration: route({
    method: 'post',
    path: '/explorations/{exploration}/cancel',
    summary: 'Cancel it',
    answer: r.ExplorationJob,
    status: 200,
  }),

  listJobs: route({
    method: 'get',
    path: '/jobs',
    summary: `Jobs of every kind by page, newest first, without results. ${PAGE}`,
    query: z.strictObject({
      project: r.Id.optional(),
      kind: z.string().max(64).optional(),
      ...page,
    }),
    answer: z.array(r.JobRecord),
    status: 200,
  }),
  getJob: route({
    method: 'get',
    path: '/jobs/{job}',
    summary: 'One job with its result and artefacts',
    answer: r.JobRecord,
    status: 200,
  }),
  getJobLog: route({
    method: 'get',
    path: '/jobs/{job}/log',
    summary: 'Its log by page',
    query: z.strictObject({
      after: z.coerce.number().int().min(-1).default(-1),
      limit: z.coerce.number().int().min(1).max(10_000).default(1_000),
    }),
    answer: r.JobLogPage,
    status: 200,
  }),
  getArtefact: route({
    method: 'get',
    path: '/jobs/{job}/artefact',
    summary: 'A file that it has kept, in its own media type',
    query: z.strictObject({ name: z.string().max(200) }),
    answer: 'application/octet-stream',
    alsoAnswers: ['application/json'],
    status: 200,
  }),
  cancelJob: route({
    method: 'post',
    path: '/jobs/{job}/cancel',
    summary: 'Cancel it; what it has so far is kept where the kind can',
    answer: r.JobRecord,
    status: 200,
  }),

  listDeployments: route({
    method: 'get',
    path: '/projects/{project}/deployments',
    summary: `Deployments by page, newest first. ${PAGE}`,
    query: z.strictObject(page),
    answer: z.array(r.DeploymentRecord),
    status: 200,
  }),
  createDeployment: route({
    method: 'post',
    path: '/projects/{project}/deployments',
    summary:
      'Deploy a placement. It takes the place of the newest running one of the same target, which serves until the new one is ready, unless `beside` is true',
    body: r.NewDeployment,
    answer: r.DeploymentRecord,
    status: 202,
  }),
  planDeployment: route({
    method: 'post',
    path: '/projects/{project}/deployments/plan',
    summary: 'What a deployment would change of the one it follows, and what it needs',
    body: r.NewDeployment,
    answer: r.DeploymentPlan,
    status: 200,
  }),
  deploymentLogs: route({
    method: 'get',
    path: '/deployments/{deployment}/logs',
    summary: 'The newest log lines of a function or an agent',
    query: z.strictObject({ kind: z.enum(['function', 'agent']), name: z.string() }),
    answer: z.array(z.string()),
    status: 200,
  }),
  listDevices: route({
    method: 'get',
    path: '/devices',
    summary: 'Devices that were enrolled or have called in, with their class, state and telemetry',
    answer: z.array(r.Device),
    status: 200,
  }),
  enrolDevice: route({
    method: 'post',
    path: '/devices',
    summary:
      'Enrol a device of another machine; the answer is what its agent is started with, and is shown this once',
    body: r.NewDevice,
    answer: r.DeviceCredential,
    status: 201,
  }),
  dialIn: route({
    method: 'get',
    path: '/devices/address',
    summary: 'Where devices dial in, and whether those of other machines reach it',
    answer: r.DialIn,
    status: 200,
  }),
  agentArchive: route({
    method: 'get',
    path: '/agent',
    summary:
      'The agent of devices, as a tar.gz of a folder with a program start; it needs Node.js 24.5 or newer',
    answer: 'application/octet-stream',
    alsoAnswers: ['application/gzip'],
    status: 200,
  }),
  removeDevice: route({
    method: 'delete',
    path: '/devices/{device}',
    summary: 'Remove an enrolled device: its connection ends, and its credential is refused from now on',
    answer: null,
    status: 204,
  }),
  getDeployment: route({
    method: 'get',
    path: '/deployments/{deployment}',
    summary: 'One deployment',
    answer: r.DeploymentRecord,
    status: 200,
  }),
  undeploy: route({
    method: 'post',
    path: '/deployments/{deployment}/undeploy',
    summary: 'Stop it',
    answer: r.DeploymentRecord,
    status: 200,
  }),

  compareDeployment: route({
    method: 'get',
    path: '/deployments/{deployment}/comparison',
    summary:
      'Its estimate for the local target beside what its runs measured (at most five), with the deviations',
    query: z.strictObject({ profile: z.enum(['deployed', 'now']).default('deployed') }),
    answer: r.DeploymentComparison,
    status: 200,
  }),

  listRuns: route({
    method: 'get',
    path: '/projects/{project}/runs',
    summary: `Runs by page, newest first. ${PAGE}. A filter leaves out what does not match: \`text\` is looked for in message, target and id`,
    query: z.strictObject({
      ...page,
      state: RunState.optional(),
      version: z.coerce.number().int().min(1).optional(),
      text: z.string().max(200).optional(),
    }),
    answer: z.array(r.RunListing),
    status: 200,
  }),
  startRun: route({
    method: 'post',
    path: '/deployments/{deployment}/runs',
    summary: 'Run it once',
    body: r.NewRun,
    answer: r.RunRecord,
    status: 202,
  }),
  getRun: route({
    method: 'get',
    path: '/runs/{run}',
    summary: 'A run with outputs, tasks, figures and logs so far',
    answer: r.RunDetail,
    status: 200,
  }),
  listSpans: route({
    method: 'get',
    path: '/runs/{run}/spans',
    summary:
      'Spans of a run by page, in the order in which they ended; of one task, or only those that failed',
    query: z.strictObject({
      after: z.coerce.number().int().min(-1).default(-1),
      limit: z.coerce.number().int().min(1).max(10_000).default(1_000),
      task: z.string().max(200).optional(),
      status: z.enum(['ok', 'failed']).optional(),
    }),
    answer: r.SpanPage,
    status: 200,
  }),
  getOutput: route({
    method: 'get',
    path: '/runs/{run}/outputs/{index}',
    summary:
      'The whole value of an output, in its own media type; outputs are numbered from 0 in order of arrival',
    answer: 'application/octet-stream',
    alsoAnswers: ['application/json', 'application/cbor'],
    status: 200,
  }),
  cancelRun: route({
    method: 'post',
    path: '/runs/{run}/cancel',
    summary: 'Cancel it',
    answer: r.RunRecord,
    status: 200,
  }),
  runTrace: route({
    method: 'get',
    path: '/runs/{run}/trace',
    summary: 'A run as an OpenTelemetry trace: one OTLP request with the spans of every tier',
    answer: 'application/json',
    status: 200,
  }),
  runReport: route({
    method: 'get',
    path: '/runs/{run}/report',
    summary: 'The report of a run: stands alone, HTML or JSON',
    query: z.strictObject({ format: z.enum(['html', 'json']).default('html') }),
    answer: 'text/html',
    alsoAnswers: ['application/json'],
    status: 200,
  }),

  ...fabricRoutes,
  ...networkFunctionRoutes,
  ...targetRoutes,
  ...storeRoutes,
  ...accessKeyRoutes,
} satisfies Record<string, Route>

/** Name of an operation of the API. */
export type RouteName = keyof typeof routes
