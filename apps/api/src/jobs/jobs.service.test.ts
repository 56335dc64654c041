import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { JobsRepository } from './jobs.repository.ts'
import { type JobSpec, JobsService } from './jobs.service.ts'

test('a job whose turn comes while the service stops does not begin', async () => {
  const repository = { add: () => setImmediate(), update: () => setImmediate() }
  const jobs = new JobsService(repository as unknown as JobsRepository)
  const begun: string[] = []
  const first = Promise.withResolvers<void>()
  const spec = (project: string): JobSpec => ({
    kind: 'exploration',
    project,
    request: { version: 1 } as JobSpec['request'],
    work: (signal) => {
      begun.push(project)
      first.resolve()
      return new Promise((_, reject) =>
        signal.addEventListener('abort', () => reject(new Error('Cancelled.'))),
      )
    },
    publish: () => {},
  })
  for (const project of ['a', 'b', 'c']) await jobs.start(spec(project))
  await first.promise
  await jobs.stop()
  expect(begun).toEqual(['a'])
})
