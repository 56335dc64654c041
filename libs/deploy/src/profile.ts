/** Measures a workflow on a target: spans of real runs become the profile that explorations use. */
import type { RunResult, Span } from '@hivemind/orchestrator'
import {
  type Distribution,
  type Placement,
  type Profile,
  type TaskProfile,
  type TierProfile,
  tierRow,
} from '@hivemind/swarm'
import { synthesise } from '@hivemind/synthesis'
import type { Workflow } from '@hivemind/workflow'
import type { Project } from './project.ts'
import { anyDevices, type Target } from './types.ts'

/** Quantiles from 0 to 1 in steps of 1/20, unless finer ones are asked for. */
const STEPS = 20

/** What `profileWorkflow` measures, and on what. */
export interface ProfileRequest {
  target: Target
  /** Name of the workflow. */
  name: string
  project: Project
  workflow: Workflow
  /** Placements to run, so that each task is seen on each tier it may have. */
  placements: Placement[]
  agents: number
  itemsPerDevice?: number
  /** Machine, versions and date, for people. */
  note: string
  signal?: AbortSignal
  /** Share done, 0..1, and what it is doing. */
  onProgress?: (share: number, message: string) => void
}

/**
 * Deploys each placement and runs it twice: once to warm the processes, once to measure.
 * Rejects when a run fails, with its message.
 */
export async function profileWorkflow(request: ProfileRequest): Promise<Profile> {
  const { target, name, project, workflow, agents, itemsPerDevice, signal, onProgress } = request
  const placements = distinct(request.placements)
  const spans: Span[] = []
  for (const [index, placement] of placements.entries()) {
    const synthesis = synthesise({ name, workflow, placement, files: project.files })
    const share = (part: number): number => (index + part) / placements.length
    const which = `placement ${index + 1} of ${placements.length}`
    onProgress?.(share(0), `Deploying ${which}`)
    const spec = { name: `${name}-profile`, synthesis, projectDir: project.dir, devices: anyDevices(agents) }
    const deployment = await target.apply(spec, signal ? { signal } : {})
    try {
      for (const [part, phase] of ['Warming up', 'Measuring'].entries()) {
        onProgress?.(share((part + 1) / 3), `${phase} ${which}`)
        const result = await deployment.run({
          inputs: project.inputs,
          ...(itemsPerDevice === undefined ? {} : { itemsPerDevice }),
          ...(signal ? { signal } : {}),
          keepSpans: true,
        })
        succeeded(result, which)
        if (part === 1) spans.push(...result.spans)
      }
    } finally {
      await deployment.undeploy()
    }
  }
  onProgress?.(1, 'Done')
  return profileOf(workflow, spans, request.note)
}

function succeeded(result: RunResult, which: string): void {
  if (result.state !== 'succeeded')
    throw new Error(`The run of ${which} ${result.state}: ${result.message ?? 'no reason was given'}`)
}

function distinct(placements: Placement[]): Placement[] {
  return [...new Map(placements.map((placement) => [JSON.stringify(placement), placement])).values()]
}

/** The profile that the spans of successful invocations show; its distributions have so many steps. */
export function profileOf(
  workflow: Workflow,
  spans: readonly Span[],
  note: string,
  steps: number = STEPS,
): Profile {
  const tasks: Record<string, TaskProfile> = {}
  for (const { name } of workflow.tasks) {
    const [cloud, edge] = (['cloud', 'edge'] as const).map((column) =>
      tierProfile(
        spans.filter((span) => span.task === name && columnOf(span) === column),
        steps,
      ),
    )
    if (cloud || edge)
      tasks[name] = { origin: 'measured', ...(cloud ? { cloud } : {}), ...(edge ? { edge } : {}) }
  }
  return { schema: 'hivemind.profile/1', note, tasks }
}

/** The column of a profile that an invocation tells of; none on the fabric, whose time is no program's. */
const columnOf = ({ tier }: Span) => {
  const { hardware, profile } = tierRow(tier)
  return hardware === 'fabric' ? undefined : profile?.column
}

function tierProfile(all: Span[], steps: number): TierProfile | undefined {
  const spans = all.filter((span) => span.status === 'ok')
  if (spans.length === 0) return undefined
  return {
    serviceMs: distribution(
      spans.map((span) => span.breakdown.execution),
      steps,
    ),
    outputBytes: distribution(
      spans.map((span) => (span.items > 0 ? span.bytesOut / span.items : 0)),
      steps,
    ),
    outputsPerInvocation: spans.reduce((sum, span) => sum + span.items, 0) / spans.length,
  }
}

/** The distribution of values, with so many steps between its quantiles. */
export function distribution(values: number[], steps: number): Distribution {
  const sorted = [...values].sort((a, b) => a - b)
  const at = (q: number): number => {
    const position = q * (sorted.length - 1)
    const below = sorted[Math.floor(position)] ?? 0
    const above = sorted[Math.ceil(position)] ?? below
    return round(below + (above - below) * (position - Math.floor(position)))
  }
  return {
    mean: round(values.reduce((sum, value) => sum + value, 0) / values.length),
    quantiles: Array.from({ length: steps + 1 }, (_, step) => at(step / steps)),
    samples: values.length,
  }
}

const round = (value: number): number => Math.round(value * 1000) / 1000
