/** Simulating candidates in other threads: what a thread is asked and answers, in plain data. */

import type { Placement } from '@hivemind/swarm'
import { type ModelInput, modelBuilder, toEnd } from '@hivemind/swarm-sim'
import { type Replicated, replications } from './replications.ts'

/** What all candidates of an exploration have in common. */
export type Scenario = Omit<ModelInput, 'placement'>

/** One placement to simulate: the first seed of its replications, and the items of sensor data to simulate at most. */
export interface SimulationJob {
  placement: Placement
  seed: number
  maxItems: number
}

/** Jobs under way in some threads. */
export interface Simulating {
  /** Resolves when all are done; rejects with a sentence when a thread cannot go on. */
  ended: Promise<void>
  /** Ends its threads at once, whatever they are doing. */
  stop(): void
}

/** Threads that are started when they are wanted. */
export interface Simulators {
  /** Invocations of tasks in all, from which on it is worth starting them. */
  least: number
  /** Simulates jobs and tells of each when it is done, in any order; `at` is its place in `jobs`. */
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
/** Starts a thread, which is heard from now on; `failed` takes a sentence, also when it ends without being asked. */
export type OpenThread = (hear: {
  answer(answer: SimulationAnswer): void
  failed(sentence: string): void
}) => SimulationThread

/** Two seconds of one thread, about; to start one takes a quarter of a second, and then it is slow at first. */
const THREADS_LEAST = 2_000_000

/** Shares jobs out to at most `size` threads, each of which gets the next one when it has answered. */
export function simulateInThreads(open: OpenThread, size: number, least = THREADS_LEAST): Simulators {
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
  return { least, start }
}

/** What such a thread does: takes requests, and answers through `send`. */
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

/** What of a worker thread of Node.js is used. */
interface NodeThread {
  postMessage(message: unknown): void
  terminate(): unknown
  on(event: 'message', listener: (answer: SimulationAnswer) => void): unknown
  on(event: 'error', listener: (error: { message: string; code?: string }) => void): unknown
  on(event: 'exit', listener: () => void): unknown
}

/** Makes of worker threads of Node.js, which `start` begins, what `simulateInThreads` wants. */
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
