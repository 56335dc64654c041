/** Web worker that runs the placement library: the same code as in the service, hence the same results. */
import {
  explain,
  explore,
  limits,
  longestTasks,
  type OpenThread,
  type Robustness,
  robustSteps,
  simulateInThreads,
  tornado,
} from '@hivemind/placement'
import { deviceCount } from '@hivemind/swarm'
import { trialOf } from '../trial/trial.ts'
import { distributionOf } from './detail.ts'
import type { Reply } from './latest.ts'
import { curves, screen } from './screen.ts'
import type { AnswerTo, Ask, Work } from './work.ts'

const send = (reply: Reply<AnswerTo<Work['kind']>>) => postMessage(reply)

/** Shortest time between two progress reports, in ms. */
const PROGRESS_INTERVAL_MS = 100
let reportedAt = 0

function report(fraction: number): void {
  const now = performance.now()
  if (now - reportedAt < PROGRESS_INTERVAL_MS) return
  reportedAt = now
  send({ type: 'progress', fraction })
}

/** Opens a nested worker. It ends when this worker is terminated, so that cancelling stops it too. */
const openThread: OpenThread = ({ answer, failed }) => {
  const worker = new Worker(new URL('./simulation.worker.ts', import.meta.url), {
    type: 'module',
    name: 'simulation',
  })
  worker.onmessage = ({ data }) => answer(data)
  worker.onerror = (event) => {
    event.preventDefault()
    failed(`A simulation worker failed: ${event.message || 'it could not be started.'}`)
  }
  return { post: (request) => worker.postMessage(request), end: () => worker.terminate() }
}
/** Uses all cores but one, which the page needs to stay responsive. */
const simulators = simulateInThreads(openThread, Math.max(1, navigator.hardwareConcurrency - 1))

async function answer(work: Work): Promise<AnswerTo<Work['kind']>> {
  const { scenario } = work
  if (work.kind === 'screen') return screen(scenario, work.placements)
  if (work.kind === 'trial') return trialOf(scenario, work.before, work.placement)
  if (work.kind === 'curves') return curves(scenario, work.placements, work.counts)
  if (work.kind === 'explore') return explore({ ...scenario, simulators, onProgress: report })
  if (work.kind === 'distributions')
    return work.placements.map(({ id, placement }) => distributionOf(scenario, id, placement, work.batteries))
  if (work.kind === 'robust') return robustness(work)
  return why(work)
}

function robustness({ scenario, placements, factor }: Ask<'robust'>): Robustness {
  const steps = robustSteps({ ...scenario, candidates: placements, factor })
  let step = steps.next()
  while (!step.done) {
    report(step.value)
    step = steps.next()
  }
  return step.value
}

const MAX_DEVICES = 10_000
/** The range of devices reaches at least this far. */
const MIN_UPPER_DEVICES = 1000
/** Bound on tasks tried times tasks of the workflow, since each estimate takes time proportional to the latter. */
const MAX_TASK_PRODUCT = 10_000
const MIN_TRIED_TASKS = 16
/** The range of bandwidth reaches from the link's own divided by this to the link's own times this. */
const BANDWIDTH_FACTOR = 32

function why({ scenario, exploration, id, placement }: Ask<'why'>): AnswerTo<'why'> {
  const { uplink } = scenario.fleet
  const devices = deviceCount(scenario.fleet)
  const { length } = scenario.workflow.tasks
  const estimate = exploration.candidates.find((each) => each.id === id)?.estimate
  const tried = Math.max(MIN_TRIED_TASKS, Math.floor(MAX_TASK_PRODUCT / length))
  const tasks = estimate && tried < length ? { tasks: longestTasks(estimate, tried) } : {}
  const maxDevices = Math.max(devices, Math.min(MAX_DEVICES, Math.max(MIN_UPPER_DEVICES, 4 * devices)))
  const ranges = [
    { knob: 'devices', from: 1, to: maxDevices },
    {
      knob: 'bandwidth',
      from: uplink.bandwidthMbps / BANDWIDTH_FACTOR,
      to: uplink.bandwidthMbps * BANDWIDTH_FACTOR,
    },
  ] as const
  return {
    limits:
      scenario.workflow.constraints.length === 0
        ? []
        : ranges.map((range) => ({
            knob: range.knob,
            crossovers: limits({ ...scenario, ...range, placement }),
          })),
    explanation: explain({ ...scenario, exploration, id, ...tasks }),
    tornado: tornado({ ...scenario, placement, ...tasks }),
  }
}

self.onmessage = async ({ data }: MessageEvent<Work>) => {
  try {
    send({ type: 'answer', answer: await answer(data) })
  } catch (error) {
    send({ type: 'failed', message: error instanceof Error ? error.message : String(error) })
  }
}
