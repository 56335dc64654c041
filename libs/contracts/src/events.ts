/** Server-sent events of `GET /api/events?topics=a,b`: `event:` is the type below, `data:` its JSON, `id:` its id. */
import { z } from 'zod'
import { RunEvent } from './domain.ts'
import {
  DeploymentRecord,
  ExplorationJob,
  Id,
  JobLogLine,
  JobRecord,
  ProfileJob,
  RunRecord,
  RunStatistics,
} from './resources.ts'

/** Topics: `project:<id>` (all jobs, deployments and runs of it), `run:<id>` (every run event), `job:<id>` (its states and log lines). */
export const ServerEvent = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('exploration'), exploration: ExplorationJob.omit({ result: true }) }),
  z.strictObject({ type: z.literal('profile'), profile: ProfileJob }),
  z.strictObject({ type: z.literal('job'), job: JobRecord }),
  z.strictObject({ type: z.literal('job-log'), job: Id, line: JobLogLine }),
  z.strictObject({ type: z.literal('deployment'), deployment: DeploymentRecord }),
  z.strictObject({ type: z.literal('run'), run: RunRecord }),
  z.strictObject({ type: z.literal('run-event'), run: Id, event: RunEvent }),
  z.strictObject({ type: z.literal('run-statistics'), run: Id, figures: RunStatistics }),
  /** Too much was missed to be repeated: ask for the state. It has no id. */
  z.strictObject({ type: z.literal('reset') }),
])
export type ServerEvent = z.infer<typeof ServerEvent>
