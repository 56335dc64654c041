/** What happens to a run of an earlier service that cannot go on. `attach.slow.test.ts` has those that do. */
import { expect, test, vi } from 'vitest'
import type { DeploymentsService } from '../deployments/deployments.service.ts'
import type { CoreJournals } from './core-journal.ts'
import { LeftRuns } from './left-runs.ts'
import type { RunTraces } from './run-traces.service.ts'
import type { RunSummaryRow, RunsRepository } from './runs.repository.ts'
import { INTERRUPTED, type RunsService } from './runs.service.ts'

const row = (id: string, deployment: string): RunSummaryRow => ({
  id,
  project_id: 'project',
  deployment_id: deployment,
  request: { inputs: {} },
  state: 'running',
  message: '',
  created_at: new Date(0),
  ended_at: null,
})

test('a run that cannot go on has failed, and the devices of a deployment that stands hear of it', async () => {
  const forgetRun = vi.fn()
  const fail = vi.fn(async () => {})
  const remove = vi.fn()
  const left = new LeftRuns(
    {
      unfinished: async () => [row('damaged', 'stands'), row('homeless', 'gone')],
      fail,
    } as unknown as RunsRepository,
    { remove } as unknown as CoreJournals,
    {
      running: async (id: string) => {
        if (id !== 'stands') throw new Error('The deployment is not running any more; deploy again.')
        return { deployment: { forgetRun } }
      },
    } as unknown as DeploymentsService,
    {
      partFrom: async () => {
        throw new Error('The run that it begins from is gone.')
      },
      publish: () => {},
    } as unknown as RunsService,
    { export: () => {} } as unknown as RunTraces,
  )

  await left.goOn()

  for (const id of ['damaged', 'homeless']) {
    expect(fail).toHaveBeenCalledWith(id, INTERRUPTED, expect.any(Date))
    expect(remove).toHaveBeenCalledWith(id)
  }
  expect(forgetRun.mock.calls).toEqual([['damaged']])
})
