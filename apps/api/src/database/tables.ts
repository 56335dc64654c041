/** The tables as the code sees them; the migrations make them. JSON columns are `json`: key order is kept. */

import type { accessKeys, resources, ServerEvent } from '@hivemind/contracts'
import type { DeploymentRecord } from '@hivemind/deploy'
import type { RunEvent, RunSummary, TaskStatistics } from '@hivemind/orchestrator'
import type { Estimate, Profile } from '@hivemind/swarm'
import type { ColumnType } from 'kysely'
import type { z } from 'zod'

type Resources = typeof resources
export type Noun<K extends keyof Resources> = Resources[K] extends z.ZodType ? z.output<Resources[K]> : never

/** Read as a value, written as its JSON text. */
type Json<T> = ColumnType<T, string, string>
type Instant = ColumnType<Date, Date, Date>

export interface ProjectsTable {
  id: string
  name: string
  workflow_file: string
  example: string | null
  head_version: number
  profile: Json<Profile | null> | null
  profile_origin: 'example' | 'measured' | 'imported' | null
  profile_updated_at: Instant | null
  created_at: Instant
  updated_at: Instant
}

export interface VersionsTable {
  project_id: string
  number: number
  message: string
  text: string
  layout: Json<Noun<'Layout'>>
  tasks: number
  errors: number
  created_at: Instant
  /** Name of who saved it; empty for those of before. */
  author: ColumnType<string, string | undefined, string>
  /** `adopted`: saved before versions had files, and given those of a later day. Null until then. */
  files_from: 'saved' | 'adopted' | null
}

/** A file of a version; its content is a blob. */
export interface VersionFile {
  path: string
  /** sha-256 of the content. */
  hash: string
  bytes: number
}
export interface VersionFilesTable extends VersionFile {
  project_id: string
  number: number
}

/** Work that takes a while. What request and result are is the kind's to know. */
export interface JobsTable {
  id: string
  kind: string
  project_id: string | null
  request: Json<unknown>
  state: Noun<'JobState'>
  stage: string
  progress: number
  message: string
  created_at: Instant
  ended_at: Instant | null
  result: Json<unknown> | null
}

export interface JobLogTable {
  job_id: string
  /** Of the event that told it. */
  id: ColumnType<number | string, number, number>
  at: number
  level: Noun<'JobLogLine'>['level']
  text: string
}

export interface JobArtefactsTable {
  job_id: string
  name: string
  /** Media type. */
  type: string
  /** sha-256 of the content, which is a blob. */
  hash: string
  bytes: number
}

export interface DeploymentsTable {
  id: string
  project_id: string
  request: Json<Noun<'NewDeployment'>>
  state: Noun<'DeploymentRecord'>['state']
  message: string
  resources: Json<Noun<'DeploymentResource'>[]>
  estimate: Json<Estimate | null> | null
  /** What is needed to attach to it again; `null` before it is ready. */
  live: Json<DeploymentRecord | null> | null
  created_at: Instant
}

export interface DevicesTable {
  id: string
  /** Name of the device class. */
  class: string
  /** SHA-256 of the token, hexadecimal. */
  token_hash: string
  enrolled_at: Instant
}

export interface TargetsTable {
  name: string
  /** What is not secret. */
  settings: Json<TargetSettings>
  /** Its kubeconfig, with the key of the service. */
  sealed: string
  created_at: Instant
  updated_at: Instant
}

/** A target, as far as it is not secret. `namespace` is absent unless it was set. */
export type TargetSettings = Pick<Noun<'TargetRecord'>, 'server' | 'context' | 'ingress' | 'images'> & {
  namespace?: string | undefined
  /** As the context of its kubeconfig says. */
  usualNamespace: string
}

export interface AccessKeysTable {
  name: string
  grants: Json<Grant[]>
  /** SHA-256 of the secret, hexadecimal. */
  secret_hash: string
  /** Null: never. */
  expires_at: Instant | null
  created_at: Instant
}

/** What an access key may do with the paths that a prefix holds. */
export type Grant = z.output<typeof accessKeys.Grant>

export interface SessionsTable {
  /** Of the token and the password with which the session began, hexadecimal. */
  token_hash: string
  expires_at: Instant
}

export interface RunsTable {
  id: string
  project_id: string
  deployment_id: string
  request: Json<Noun<'NewRun'>>
  state: RunSummary['state']
  message: string
  created_at: Instant
  ended_at: Instant | null
  /** Written when the run has ended, without its outputs, which are events; until then its events tell. */
  result: Json<RunSummary | null> | null
  /** Written when the run has ended. */
  statistics: Json<TaskStatistics[] | null> | null
  span_count: number
  output_count: number
}

export interface RunEventsTable {
  run_id: string
  seq: number
  /** Id over all events; null for those of before there were ids. PostgreSQL's driver gives text. */
  id: ColumnType<number | string | null, number | null, number | null>
  kind: RunEvent['type']
  event: Json<RunEvent>
}

/** The other columns follow from the schema of a span: see `span-rows.ts`. */
export interface RunSpansTable {
  run_id: string
  id: ColumnType<number | string, number, number>
  task: string
  device: string
  seq: number
  status: string
}

/** The newest event of each noun other than a run's own: what a client missed is the newest state of what changed. */
export interface EventsTable {
  /** Type of the event and id of its noun. */
  noun: string
  id: ColumnType<number | string, number, number>
  project_id: string | null
  /** Separated by spaces, and with one at either end. */
  topics: string
  event: Json<ServerEvent>
}

export interface Tables {
  projects: ProjectsTable
  versions: VersionsTable
  version_files: VersionFilesTable
  jobs: JobsTable
  job_log: JobLogTable
  job_artefacts: JobArtefactsTable
  deployments: DeploymentsTable
  devices: DevicesTable
  targets: TargetsTable
  access_keys: AccessKeysTable
  sessions: SessionsTable
  runs: RunsTable
  run_events: RunEventsTable
  run_spans: RunSpansTable
  events: EventsTable
}
