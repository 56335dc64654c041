/** Getting to a finished run without clicking through the screens before it. */
import { expect, type Page } from '@playwright/test'
import { explored } from './explorations.ts'
import type { Service } from './service.ts'

/** What was made on the way to a run. */
export interface Deployed {
  project: string
  deployment: string
  run: string
  placement: Record<string, string>
}

async function post<T>(page: Page, url: string, data: object): Promise<T> {
  const answer = await page.request.post(url, { data })
  expect(answer.ok(), await answer.text()).toBe(true)
  return (await answer.json()) as T
}

/** Asks until what is at the address has one of these states. */
async function until(page: Page, url: string, states: readonly string[]): Promise<void> {
  await expect
    .poll(async () => ((await (await page.request.get(url)).json()) as { state: string }).state, {
      timeout: 120_000,
      intervals: [250],
    })
    .toMatch(new RegExp(`^(${states.join('|')})$`))
}

/** Starts a run of a deployment and waits for its end. */
export async function ran(
  page: Page,
  service: Service,
  deployment: string,
  itemsPerDevice = 4,
): Promise<string> {
  const run = await post<{ id: string }>(page, `${service.url}api/deployments/${deployment}/runs`, {
    itemsPerDevice,
  })
  await until(page, `${service.url}api/runs/${run.id}`, ['succeeded', 'failed'])
  return run.id
}

/** Deploys version 1 of a project on two devices, and waits until it is ready. */
export async function deployed(
  page: Page,
  service: Service,
  project: string,
  placement: Record<string, string>,
): Promise<string> {
  const { id } = await post<{ id: string }>(page, `${service.url}api/projects/${project}/deployments`, {
    version: 1,
    placement,
    agents: 2,
  })
  await until(page, `${service.url}api/deployments/${id}`, ['ready'])
  return id
}

/** A project of an example, deployed on devices and in the cloud, and run once. */
export async function deployedAndRun(page: Page, service: Service, example: string): Promise<Deployed> {
  const { project, exploration } = await explored(page, service, example)
  const { candidates } = exploration.result as { candidates: { placement: Record<string, string> }[] }
  const mixed = candidates.find(({ placement }) => new Set(Object.values(placement)).size > 1)
  if (!mixed) throw new Error(`No candidate of ${example} uses devices and the cloud.`)
  const deployment = await deployed(page, service, project, mixed.placement)
  return { project, deployment, run: await ran(page, service, deployment), placement: mixed.placement }
}
