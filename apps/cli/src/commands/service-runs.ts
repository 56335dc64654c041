import { setTimeout as sleep } from 'node:timers/promises'
import { runStateSchema } from '@hivemind/swarm'
import { InvalidArgumentError, Option } from 'commander'
import { otherFault, usageFault } from '../failure.ts'
import { untilInterrupted } from '../interrupt.ts'
import { input, whole } from '../options.ts'
import { answer, answerJson, figure, say, table } from '../output.ts'
import { runningOf } from '../remote/deployments.ts'
import { type AddCommand, ServiceClient } from '../service.ts'

const LOOK_MS = 500

interface RunOptions extends FromOptions {
  service: string
  target?: string
  items?: number
  input?: Record<string, unknown>
  json?: boolean
}

interface FromOptions {
  from?: string
  of?: string
  item?: { device: string; seq: number }
}

/** Where the run is to begin; `undefined` for the whole workflow. Throws `Failure` when only a part of it is said. */
function fromOf({ from: task, of: run, item }: FromOptions) {
  if (task === undefined && run === undefined && item === undefined) return undefined
  if (task === undefined || run === undefined)
    throw usageFault('A run from a task on needs both --from TASK and --of RUN.')
  return { task, run, ...(item && { item }) }
}

/** `device-1/3` as an item. */
function itemOf(text: string): { device: string; seq: number } {
  const [, device, number] = /^(.+)\/(\d+)$/.exec(text) ?? []
  if (device === undefined) throw new InvalidArgumentError('It must be DEVICE/NUMBER, such as device-1/3.')
  return { device, seq: Number(number) }
}

interface ListOptions {
  service: string
  state?: string
  version?: number
  text?: string
  limit: number
  json?: boolean
}

/** `run` and `runs`. */
export function addRuns(add: AddCommand): void {
  add('run', 'run what is deployed once, and wait for its end; prints its outputs')
    .argument('<project>', 'its id')
    .option('--target <name>', 'a cluster by name; where something is deployed when absent')
    .option('--items <number>', 'most readings of each sensor and device', whole(1, 100_000))
    .option('--input <name=json>', 'an input of the workflow; may be given several times', input)
    .option(
      '--from <task>',
      'begin at this task, with what an earlier run has kept of those before; needs --of',
    )
    .option('--of <run>', 'the earlier run, as runs has it')
    .option('--item <device/number>', 'only this item of it, such as device-1/3', itemOf)
    .option('--json', 'print the whole run as JSON')
    .action(
      async (project: string, { service, target, items, input: inputs = {}, json, ...rest }: RunOptions) => {
        const from = fromOf(rest)
        const client = new ServiceClient(service)
        const { id: deployment } = await runningOf(client, project, target)
        const body = { inputs, ...(items !== undefined && { itemsPerDevice: items }), ...(from && { from }) }
        const run = await untilInterrupted(async (signal) => {
          const { id } = await client.call('startRun', { path: { deployment }, body })
          say(`Run ${id} has started.`)
          for (;;) {
            const now = await client.call('getRun', { path: { run: id } })
            if (now.endedAt !== undefined) return now
            if (signal.aborted) {
              const { endedAt } = await client.call('cancelRun', { path: { run: id } })
              say(`Run ${id} is cancelled${endedAt ? '' : '; it ends with its calls that are under way'}.`)
              return now
            }
            await sleep(LOOK_MS, undefined, { signal }).catch(() => {})
          }
        })
        if (json) answerJson(run)
        else
          for (const { task, device, value } of run.result.outputs)
            answer(`${task}${device ? ` on ${device}` : ''}: ${JSON.stringify(value)}`)
        if (run.state !== 'succeeded') throw otherFault(run.message || `The run ${run.state}.`)
        say(`Run ${run.id} succeeded.`)
      },
    )

  add('runs', 'the runs of a project, newest first')
    .argument('<project>', 'its id')
    .addOption(new Option('--state <state>', 'only those in this state').choices(runStateSchema.values))
    .option('--version <number>', 'only those of this version', whole(1, 2 ** 31 - 1))
    .option('--text <text>', 'only those with it in message, target or id')
    .option('--limit <number>', 'how many at most', whole(1, 100), 20)
    .option('--json', 'print them as JSON')
    .action(async (project: string, { service, state, version, text, limit, json }: ListOptions) => {
      const runs = await new ServiceClient(service).call('listRuns', {
        path: { project },
        query: {
          limit: String(limit),
          ...(state !== undefined && { state }),
          ...(version !== undefined && { version: String(version) }),
          ...(text !== undefined && { text }),
        },
      })
      if (json) return answerJson(runs)
      if (runs.length === 0) return say('No run matches.')
      answer(
        table([
          ['run', 'started', 'version', 'target', 'state', 'seconds', 'failed', 'message'],
          ...runs.map((run) => [
            run.id,
            run.createdAt.slice(0, 19),
            String(run.version),
            run.target ?? 'usual',
            run.state,
            run.tookMs === undefined ? '' : figure(run.tookMs / 1000),
            run.invocations === undefined ? '' : `${run.failed ?? 0} of ${run.invocations}`,
            run.message,
          ]),
        ]),
      )
    })
}
