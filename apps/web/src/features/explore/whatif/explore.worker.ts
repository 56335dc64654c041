/** The exploration library in a thread of the browser: the same code, hence the same bytes, as in the service. */
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
import { distributionOf } from './detail.ts'
import type { Reply } from './latest.ts'
import { curves, screen } from './screen.ts'
import type { AnswerTo, Ask, Work } from './work.ts'

const send = (reply: Reply<AnswerTo<Work['kind']>>) => postMessage(reply)

/** Often enough for a bar that moves, and not so often that the page has to redraw for nothing, in ms. */
const PROGRESS_MS = 100
let reported = 0

function report(fraction: number): void {
  const now = performance.now()
  if (now - reported < PROGRESS_MS) return
  reported = now
  send({ type: 'progress', fraction })
}

/** They end with this worker, so that cancelling still is ending it. */
const openThread: OpenThread = ({ answer, failed }) => {
  const worker = new Worker(new URL('./simulation.worker.ts', import.meta.url), {
    type: 'module',
    name: 'simulation',
  })
  worker.onmessage = ({ data }) => answer(data)
  worker.onerror = (event) => {
    event.preventDefault()
    failed(`A thread that simulates has failed: ${event.message || 'it could not be started.'}`)
  }
  return { post: (request) => worker.postMessage(request), end: () => worker.terminate() }
}
/** One core is left to the page, which must go on redrawing. */
const simulators = simulateInThreads(openThread, Math.max(1, navigator.hardwareConcurrency - 1))

async function answer(work: Work): Promise<AnswerTo<Work['kind']>> {
  const { scenario } = work
  if (work.kind === 'screen') return screen(scenario, work.placements)
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

const MOST_DEVICES = 10_000
const LEAST_MOST_DEVICES = 1000
/** A closed form takes as long as the workflow is, so the longer it is the fewer tasks are tried: all of up to 100. */
const TRIED = 10_000
const LEAST_TRIED = 16
/** The link is followed from this part of its bandwidth to as many times it. */
const LINK_SPAN = 32

function why({ scenario, exploration, id, placement }: Ask<'why'>): AnswerTo<'why'> {
  const { uplink } = scenario.fleet
  const devices = deviceCount(scenario.fleet)
  const { length } = scenario.workflow.tasks
  const estimate = exploration.candidates.find((each) => each.id === id)?.estimate
  const tried = Math.max(LEAST_TRIED, Math.floor(TRIED / length))
  const tasks = estimate && tried < length ? { tasks: longestTasks(estimate, tried) } : {}
  const most = Math.max(devices, Math.min(MOST_DEVICES, Math.max(LEAST_MOST_DEVICES, 4 * devices)))
  const ranges = [
    { knob: 'devices', from: 1, to: most },
    { knob: 'bandwidth', from: uplink.bandwidthMbps / LINK_SPAN, to: uplink.bandwidthMbps * LINK_SPAN },
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
