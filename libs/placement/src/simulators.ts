/** Simulates candidates in other threads; requests and answers are plain data. */

import type { Placement } from '@hivemind/swarm'
import { type ModelInput, modelBuilder, toEnd } from '@hivemind/swarm-sim'
import { type Replicated, replications } from './replications.ts'

/** The inputs that all candidates of an exploration share. */
export type Scenario = Omit<ModelInput, 'placement'>

/** One placement to simulate: the first seed of its replications, and the items of sensor data to simulate at most. */
export interface SimulationJob {
  placement: Placement
  seed: number
  maxItems: number
}

/** Jobs in progress in some threads. */
export interface Simulating {
  /** Resolves when all are done; rejects with a sentence when a thread cannot go on. */
  ended: Promise<void>
  /** Ends the threads at once, whatever they are doing. */
  stop(): void
}

/** Threads that are started on demand. */
export interface Simulators {
  /** Minimum number of task invocations, over all jobs, for which starting threads pays. */
  minInvocations: number
  /** Simulates jobs and calls `onDone` for each, in any order; `at` is its index in `jobs`. */
  start(
    scenario: Scenario,
    jobs: readonly SimulationJob[],
    onDone: (at: number, simulated: Replicated) => void,
  ): Simulating
}

/** What a simulation thread is sent: the scenario once, then jobs, each with its index. */
export type SimulationRequest = { scenario: Scenario } | { at: number; job: SimulationJob }
/** What a simulation thread answers to a job: the job’s index and its result. */
export interface SimulationAnswer {
  at: number
  simulated: Replicated
}

/** A thread that was started for simulations. */
export interface SimulationThread {
  post(request: SimulationRequest): void
  /** Ends it at once. */
  end(): void
}
/** Starts a thread and forwards its answers. `failed` is called with a sentence when the thread fails, or ends unasked. */
export type OpenThread = (hear: {
  answer(answer: SimulationAnswer): void
  failed(sentence: string): void
}) => SimulationThread

/** About two seconds of one thread. Starting a thread takes a quarter of a second, and it is slow at first. */
const MIN_INVOCATIONS_FOR_THREADS = 2_000_000

/** Distributes jobs to at most `size` threads; each gets the next job when it has answered. */
export function simulateInThreads(
  open: OpenThread,
  size: number,
  minInvocations = MIN_INVOCATIONS_FOR_THREADS,
): Simulators {
  const start: Simulators['start'] = (scenario, jobs, onDone) => {
    const threads: SimulationThread[] = []
    let stopped = false
    const stop = () => {
      stopped = true
      for (const thread of threads.splice(0)) thread.end()
    }
    const ended = new Promise<void>((resolve, reject) => {
      let next = 0
      let left = jobs.length
      if (left === 0) resolve()
      const feed = (thread: SimulationThread) => {
        const job = jobs[next]
        if (job) thread.post({ at: next++, job })
      }
      for (let i = 0; i < Math.min(size, jobs.length); i++) {
        const thread = open({
          answer({ at, simulated }) {
            if (stopped) return
            onDone(at, simulated)
            left--
            if (left > 0) return feed(thread)
            stop()
            resolve()
          },
          failed(sentence) {
            if (stopped) return
            stop()
            reject(new Error(sentence))
          },
        })
        threads.push(thread)
        thread.post({ scenario })
        feed(thread)
      }
    })
    return { ended, stop }
  }
  return { minInvocations, start }
}

/** The request handler of a simulation thread; answers through `send`. */
export function simulationThread(
  send: (answer: SimulationAnswer) => void,
): (request: SimulationRequest) => void {
  let build: ReturnType<typeof modelBuilder> | undefined
  return (request) => {
    if ('scenario' in request) build = modelBuilder(request.scenario)
    else if (build)
      send({ at: request.at, simulated: toEnd(replications(build(request.job.placement), request.job)) })
  }
}

/** The part of a Node.js worker thread that is used. */
interface NodeThread {
  postMessage(message: unknown): void
  terminate(): unknown
  on(event: 'message', listener: (answer: SimulationAnswer) => void): unknown
  on(event: 'error', listener: (error: { message: string; code?: string }) => void): unknown
  on(event: 'exit', listener: () => void): unknown
}

/** Adapts Node.js worker threads, created by `start`, to `simulateInThreads`. */
export function nodeThreads(start: () => NodeThread): OpenThread {
  return ({ answer, failed }) => {
    const thread = start()
    thread.on('message', answer)
    thread.on('error', ({ code, message }) =>
      failed(
        code === 'ERR_WORKER_OUT_OF_MEMORY'
          ? 'A simulation needs more memory than its thread may use: explore fewer devices or items.'
          : `A thread that simulates has failed: ${message}`,
      ),
    )
    thread.on('exit', () => failed('A thread that simulates has ended without an answer; explore again.'))
    return { post: (request) => thread.postMessage(request), end: () => void thread.terminate() }
  }
}
