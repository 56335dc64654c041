/** The trace of a run that no service knows, as a file. */
import { writeFile } from 'node:fs/promises'
import {
  type DeviceEvent,
  exportRequest,
  type RunResult,
  runTrace,
  type Span,
  traceResource,
} from '@hivemind/orchestrator'
import type { Workflow } from '@hivemind/workflow'
import { otherFault, usageFault } from './failure.ts'

/** A run to be written down. */
export interface TracedCommand {
  run: string
  name: string
  workflow: Workflow
  /** ms since 1970. */
  createdAt: number
  traceparent: string | undefined
}

/** What OpenTelemetry's variables say about this command. Throws `Failure`. */
export function commandResource() {
  try {
    return traceResource(process.env)
  } catch (error) {
    throw usageFault((error as Error).message)
  }
}

/** Writes a run as one OTLP request in JSON, in one line. Rejects with `Failure`. */
export async function writeTrace(
  file: string,
  { run, ...about }: TracedCommand,
  result: Omit<RunResult, 'spans'>,
  { spans, devices }: { spans: readonly Span[]; devices: readonly DeviceEvent[] },
): Promise<void> {
  const { state, message, startedAt, endedAt, losses } = result
  const trace = runTrace(
    { id: run, ...about, startedAt, endedAt, state, message, losses, devices },
    spans,
    commandResource(),
  )
  await writeFile(file, `${JSON.stringify(exportRequest(trace))}\n`).catch((error: Error) => {
    throw otherFault(`The trace cannot be written: ${error.message}`)
  })
}
