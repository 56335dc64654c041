/** The tables as the code sees them; the migrations make them. JSON columns are `json`: key order is kept. */

import type { resources } from '@hivemind/contracts'
import type { RunEvent, RunResult } from '@hivemind/orchestrator'
import type { Estimate, Exploration, Profile } from '@hivemind/swarm'
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
}

export type JobKind = 'exploration' | 'profile'

/** Work that takes a while: explorations, with their result, and profile measurements. */
export interface JobsTable {
  id: string
  kind: JobKind
  project_id: string
  request: Json<Noun<'NewExploration'> | Noun<'NewProfileJob'>>
  state: Noun<'JobState'>
  progress: number
  message: string
  created_at: Instant
  ended_at: Instant | null
  result: Json<Exploration | null> | null
}

export interface DeploymentsTable {
  id: string
  project_id: string
  request: Json<Noun<'NewDeployment'>>
  state: Noun<'DeploymentRecord'>['state']
  message: string
  resources: Json<Noun<'DeploymentResource'>[]>
  estimate: Json<Estimate | null> | null
  created_at: Instant
}

export interface RunsTable {
  id: string
  project_id: string
  deployment_id: string
  request: Json<Noun<'NewRun'>>
  state: RunResult['state']
  message: string
  created_at: Instant
  ended_at: Instant | null
  /** Written when the run has ended; until then its events tell. */
  result: Json<RunResult | null> | null
}

export interface RunEventsTable {
  run_id: string
  seq: number
  kind: RunEvent['type']
  event: Json<RunEvent>
}

export interface Tables {
  projects: ProjectsTable
  versions: VersionsTable
  jobs: JobsTable
  deployments: DeploymentsTable
  runs: RunsTable
  run_events: RunEventsTable
}
