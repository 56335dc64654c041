/** The events of runs, from their rows, for clients that missed some. */
import type { ServerEvent } from '@hivemind/contracts'
import type { Replay } from '../events/events.service.ts'
import type { Numbered } from '../events/merge.ts'
import type { RunsRepository } from './runs.repository.ts'

/** `flush` writes what a run under way has reported. */
export const replayRuns =
  (repository: RunsRepository, flush: (run: string) => Promise<void>): Replay =>
  (topics, after) =>
    [...topics]
      .filter((topic) => topic.startsWith('run:'))
      .map((topic) => topic.slice('run:'.length))
      .flatMap((run) => [events(repository, run, after, flush), spans(repository, run, after, flush)])

async function* events(
  repository: RunsRepository,
  run: string,
  after: number,
  flush: (run: string) => Promise<void>,
): AsyncGenerator<Numbered<ServerEvent>> {
  await flush(run)
  for await (const { id, event } of repository.eventsAfter(run, after))
    yield { id, event: { type: 'run-event', run, event } }
}

async function* spans(
  repository: RunsRepository,
  run: string,
  after: number,
  flush: (run: string) => Promise<void>,
): AsyncGenerator<Numbered<ServerEvent>> {
  await flush(run)
  for await (const { id, span } of repository.allSpans(run, { after }))
    yield { id, event: { type: 'run-event', run, event: { type: 'span', at: span.endedAt, span } } }
}
