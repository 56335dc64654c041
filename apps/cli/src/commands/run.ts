import { randomUUID } from 'node:crypto'
import { anyDevices, type LinkShape, type TargetKind } from '@hivemind/deploy'
import {
  type DeviceEvent,
  type LogLine,
  type RunEvent,
  type RunSummary,
  type Span,
  SpanStatistics,
  type TaskStatistics,
} from '@hivemind/orchestrator'
import { type DeployableHandOver, verdictWord } from '@hivemind/swarm'
import type { Command } from 'commander'
import { boardOption, boardsOf } from '../boards.ts'
import { choosePlacement, placementHelp } from '../choice.ts'
import { deploymentFault, requireRuntimes } from '../deployment.ts'
import { workflowFault } from '../failure.ts'
import { untilInterrupted } from '../interrupt.ts'
import { link, linkHelp } from '../link.ts'
import { deployedHandOver, input, whole } from '../options.ts'
import { answer, answerJson, figure, say, table } from '../output.ts'
import { readJsonObject, readReadyProject } from '../project.ts'
import { addTargetOption, commandTarget } from '../target.ts'
import { commandResource, writeTrace } from '../trace-file.ts'
import { synthesiseProject } from './synth.ts'

interface RunCommandOptions {
  placement: string
  agents: number
  edgeNodes: number
  target: TargetKind
  items?: number
  link?: LinkShape
  handOver?: DeployableHandOver
  board?: string[]
  input?: Record<string, unknown>
  inputs?: string
  trace?: string
  json?: boolean
  quiet?: boolean
}

/** One line of standard error for what a person watching wants to know; why a run failed is told at the end. */
function tell(event: RunEvent): void {
  if (event.type === 'device') say(event.message)
  else if (event.type === 'log') sayLine(event.line)
  else if (event.type === 'state' && event.state !== 'failed')
    say(`run ${event.state}${event.message ? `: ${event.message}` : ''}`)
}

function sayLine({ source, device, text }: LogLine): void {
  say(`[${source}${device ? ` ${device}` : ''}] ${text}`)
}

/**
 * Tells log lines as they come but holds back the last error, which is why a run failed when it did: `reason` gives
 * the lines below its first one, the stack of the task's author.
 */
function watcher(quiet: boolean): {
  onEvent: (event: RunEvent) => void
  reason: (message: string) => string
} {
  let held: LogLine | undefined
  return {
    onEvent: (event) => {
      const error = event.type === 'log' && event.line.level === 'error' ? event.line : undefined
      if (held && error && !quiet) sayLine(held)
      if (error) held = error
      else if (!quiet) tell(event)
    },
    reason: (message) => {
      const [first = '', ...stack] = (held?.text ?? '').trimEnd().split('\n')
      if (first !== '' && message.includes(first)) return [message, ...stack].join('\n')
      if (held && !quiet) sayLine(held)
      return message
    },
  }
}

/** The spans of a run in figures, as the service counts them; the spans themselves only when they are asked for. */
class Watched {
  readonly statistics = new SpanStatistics()
  readonly spans: Span[] = []
  /** What happened to devices. */
  readonly devices: DeviceEvent[] = []
  readonly #keepSpans: boolean

  constructor(keepSpans: boolean) {
    this.#keepSpans = keepSpans
  }

  take(event: RunEvent): void {
    if (event.type === 'device') this.devices.push(event)
    if (event.type !== 'span') return
    this.statistics.add(event.span)
    if (this.#keepSpans) this.spans.push(event.span)
  }
}

function summary(result: RunSummary, statistics: readonly TaskStatistics[]): string {
  const measured = new Map(statistics.map((each) => [each.task, each]))
  const rows = result.tasks.map(({ task, tier, state, done, failed }) => [
    task,
    tier,
    state,
    String(done),
    String(failed),
    figure(measured.get(task)?.p50Ms ?? 0),
    figure(measured.get(task)?.p99Ms ?? 0),
  ])
  return table([['TASK', 'TIER', 'STATE', 'DONE', 'FAILED', 'P50 ms', 'P99 ms'], ...rows])
}

/** Sentences about invocations that waited for their function to start. */
function coldStarts(statistics: readonly TaskStatistics[]): string[] {
  return statistics.flatMap(({ task, starts }) => {
    if (!starts) return []
    const { cold, coldP50Ms, coldP99Ms, warm, warmP50Ms, warmP99Ms } = starts
    const times = (p50: number, p99: number): string => `p50 ${figure(p50)} ms, p99 ${figure(p99)} ms`
    const others = warm > 0 ? `${warm} warm: ${times(warmP50Ms, warmP99Ms)}` : 'none warm'
    return [`cold start: ${task}: ${cold} cold: ${times(coldP50Ms, coldP99Ms)}; ${others}`]
  })
}

/** Sentences about what did not go as the workflow wants it. */
function shortfalls({ tasks, losses, constraints = [] }: RunSummary): string[] {
  const late = tasks.flatMap(({ task, missed = 0, dropped = 0 }) =>
    missed + dropped > 0
      ? [
          `deadline: ${task} missed it ${missed} times${dropped > 0 ? `; ${dropped} items were given up` : ''}`,
        ]
      : [],
  )
  const judged = constraints.map(
    (verdict) =>
      `${verdictWord(verdict)}: ${verdict.key}${verdict.rule === undefined ? '' : ` (${verdict.rule})`}: ${verdict.text}`,
  )
  return [...late, ...losses.map((loss) => `lost: ${loss}`), ...judged]
}

export function runCommand(program: Command): void {
  addTargetOption(program.command('run'))
    .description('deploy a workflow, run it once and print its outputs')
    .argument('<workflow>', 'a .hive.py file, or a folder that holds one')
    .option('--placement <which>', placementHelp, 'best')
    .option('--agents <n>', 'number of edge devices to start', whole(1, 64), 2)
    .option('--items <n>', 'most items a sensor emits on a device', whole(1, 100_000))
    .option(
      '--edge-nodes <n>',
      'number of edge nodes, for tasks on them: this machine plays them, a cluster has nodes for them',
      whole(1, 16),
      1,
    )
    .addOption(deployedHandOver())
    .addOption(boardOption())
    .option('--link <shape>', linkHelp, link)
    .option('--input <name=json>', 'a value of the workflow’s input; may be repeated', input)
    .option('--inputs <file>', 'a JSON file with the workflow’s inputs, instead of the project’s inputs.json')
    .option('--trace <file>', 'write an OpenTelemetry trace of the run to a file (OTLP as JSON)')
    .option('--quiet', 'say nothing while it runs')
    .option('--json', 'print the result with outputs, tasks, figures and spans as JSON')
    .addHelpText('after', '\nExample:\n  hivemind run examples/people-recognition --agents 2 --json')
    .action(async (target: string, options: RunCommandOptions) => {
      const ready = await readReadyProject(target)
      if (options.trace !== undefined) commandResource()
      const base =
        options.inputs === undefined
          ? ready.project.inputs
          : await readJsonObject('inputs file', options.inputs)
      const inputs = { ...base, ...options.input }
      const placement = await choosePlacement(ready, options.placement, options.agents, options.board)
      const synthesis = synthesiseProject(ready, placement, options.handOver)
      const boards = boardsOf(synthesis.plan, options.board)
      const quiet = options.quiet === true
      const { onEvent, reason } = watcher(quiet)
      const watched = new Watched(options.json === true || options.trace !== undefined)
      const run = `run-${randomUUID().slice(0, 8)}`
      const traceparent = process.env.TRACEPARENT
      const createdAt = Date.now()
      const result = await untilInterrupted(async (signal) => {
        await requireRuntimes(synthesis.plan, options.target)
        const target = await commandTarget(options.target, options.link ? { link: options.link } : {})
        try {
          const deployment = await target
            .apply(
              {
                name: ready.source.name,
                synthesis,
                projectDir: ready.source.dir,
                devices: anyDevices(options.agents),
                edgeNodes: { name: ready.edgeNodes, count: options.edgeNodes },
                boards,
                constraints: ready.workflow.constraints,
              },
              { signal },
            )
            .catch((error: unknown) => {
              throw deploymentFault(error)
            })
          for (const { kind, name, pid } of deployment.status().resources)
            if (!quiet) say(`${kind} ${name} is ready${pid === undefined ? '' : ` (process ${pid})`}`)
          return await deployment.run({
            run,
            ...(traceparent !== undefined && { traceparent }),
            inputs,
            itemsPerDevice: options.items,
            signal,
            onEvent: (event) => {
              watched.take(event)
              onEvent(event)
            },
          })
        } finally {
          await target.close()
        }
      })
      if (options.trace !== undefined) {
        const { workflow, source } = ready
        const traced = { run, name: source.name, workflow, createdAt, traceparent }
        await writeTrace(options.trace, traced, result, watched)
        if (!quiet) say(`Its trace is in ${options.trace}.`)
      }
      const statistics = watched.statistics.tasks()
      if (options.json) answerJson({ placement, ...result, statistics, spans: watched.spans })
      else {
        for (const { data, device, seq, value } of result.outputs)
          answer(`${data}${device === '*' ? '' : ` of ${device}, item ${seq}`}: ${JSON.stringify(value)}`)
        say(summary(result, statistics))
        for (const sentence of [...coldStarts(statistics), ...shortfalls(result)]) say(sentence)
      }
      if (result.state !== 'succeeded')
        throw workflowFault(`The run ${result.state}: ${reason(result.message ?? 'no reason was given.')}`)
    })
}
