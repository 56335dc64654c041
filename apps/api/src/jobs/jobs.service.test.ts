import { setImmediate } from 'node:timers/promises'
import type { BlobStore } from '@hivemind/values/node'
import { expect, test } from 'vitest'
import type { EventsService } from '../events/events.service.ts'
import type { Housekeeping } from '../storage/housekeeping.ts'
import type { JobKind } from './job-kind.ts'
import type { JobsRepository } from './jobs.repository.ts'
import { JobsService } from './jobs.service.ts'

test('a job whose turn comes while the service stops does not begin', async () => {
  const repository = { add: () => setImmediate(), update: () => setImmediate() }
  const jobs = new JobsService(
    repository as unknown as JobsRepository,
    { addReplay: () => {}, publishNoun: () => {} } as unknown as EventsService,
    {} as BlobStore,
    { addUse: () => {} } as unknown as Housekeeping,
  )
  const begun: string[] = []
  const first = Promise.withResolvers<void>()
  const kind: JobKind<string, null> = {
    name: 'test',
    noun: 'test',
    run: (request, { expired }) => {
      begun.push(request)
      first.resolve()
      return new Promise((_, reject) =>
        expired.addEventListener('abort', () => reject(new Error('Cancelled.'))),
      )
    },
  }
  jobs.register(kind)
  for (const request of ['a', 'b', 'c']) await jobs.start(kind, request)
  await first.promise
  await jobs.stop()
  expect(begun).toEqual(['a'])
})
