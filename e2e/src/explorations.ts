/** Getting to a finished exploration without clicking through the screens before it. */
import { expect, type Page } from '@playwright/test'
import type { Service } from './service.ts'

interface Job {
  id: string
  job: { state: string; message: string }
  result?: Record<string, unknown>
}

/** A project of an example, explored; its id and the exploration as the service stores it. */
export async function explored(
  page: Page,
  service: Service,
  example: string,
  request: { devices?: number; itemsPerDevice?: number; seed?: number } = {},
): Promise<{ project: string; exploration: Job }> {
  const api = `${service.url}api`
  const made = await page.request.post(`${api}/projects`, { data: { name: example, example } })
  expect(made.ok(), await made.text()).toBe(true)
  const project = (await made.json()) as { id: string; headVersion: number }
  const started = await page.request.post(`${api}/projects/${project.id}/explorations`, {
    data: { version: project.headVersion, ...request },
  })
  expect(started.ok(), await started.text()).toBe(true)
  const { id } = (await started.json()) as Job
  let exploration: Job | undefined
  await expect
    .poll(
      async () => {
        exploration = (await (await page.request.get(`${api}/explorations/${id}`)).json()) as Job
        return exploration.job.state
      },
      { timeout: 90_000, intervals: [250] },
    )
    .toBe('done')
  if (!exploration) throw new Error('The exploration is gone.')
  return { project: project.id, exploration }
}

/** Opens the Explore screen on the newest exploration and waits for its plot. */
export async function openExplore(page: Page, service: Service, project: string): Promise<void> {
  await page.goto(`${service.url}projects/${project}/explore`)
  await expect(page.getByTestId('scatter')).toBeVisible()
}

export const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
