import type { Page } from '@playwright/test'
import { explored, openExplore } from './explorations.ts'
import { expectAccessible } from './look.ts'
import { expect, type Service, test } from './service.ts'

/** Deploys a placement and runs it once with success. */
async function ran(page: Page, service: Service, project: string, placement: unknown): Promise<void> {
  const api = `${service.url}api`
  const post = async (path: string, data: object) => {
    const answer = await page.request.post(`${api}${path}`, { data })
    expect(answer.ok(), await answer.text()).toBe(true)
    return (await answer.json()) as { id: string }
  }
  const told = async (path: string) =>
    (await (await page.request.get(`${api}${path}`)).json()) as { state: string }
  const deployment = await post(`/projects/${project}/deployments`, { version: 1, placement, agents: 1 })
  await expect
    .poll(async () => (await told(`/deployments/${deployment.id}`)).state, { timeout: 60_000 })
    .toBe('ready')
  const run = await post(`/deployments/${deployment.id}/runs`, { itemsPerDevice: 5 })
  await expect.poll(async () => (await told(`/runs/${run.id}`)).state, { timeout: 60_000 }).toBe('succeeded')
}

test('estimate against measurement, a robust choice, and the run over time', async ({ page, service }) => {
  const { project, exploration } = await explored(page, service, 'hello-swarm')
  const candidates = exploration.result?.candidates as { id: string; placement: object }[]
  await openExplore(page, service, project)
  const measured = page.getByTestId('measured')
  await expect(measured).toContainText('No successful run yet')

  await ran(page, service, project, candidates[0]?.placement)
  await page.reload()
  await expect(measured.getByTestId('measured-table').getByRole('row')).toHaveCount(1 + 3 + 2)
  await expect(measured.getByRole('img', { name: /figures within 20%/ })).toBeVisible()
  await expect(measured.getByTestId('measured-mean')).toContainText('medians over 1 run')
  await expect(measured.getByTestId('measured-profile')).toHaveValue('now')
  await expect(measured).toContainText('The estimate uses the current profile.')
  await expect(measured).toContainText('at most 5 items per sensor and device')
  await expect(measured).toContainText('default costs of calls')
  await measured.getByTestId('measured-profile').selectOption('deployed')
  await expect(measured).toContainText('the profile at the time of deployment')
  const download = page.waitForEvent('download')
  await page.getByTestId('export').click()
  await page.getByRole('menuitem', { name: 'Times of tasks, items and the run as CSV' }).click()
  expect((await download).suggestedFilename()).toMatch(/estimate-against-measurement\.csv$/)

  const robust = page.getByTestId('robust')
  await robust.getByTestId('robust-start').click()
  await expect(robust.getByTestId('robust-sentences').getByRole('listitem')).not.toHaveCount(0)
  const rows = robust.locator('[data-testid^="robust-row-"]')
  await expect(rows.first()).toContainText('robust choice')
  await rows.last().getByRole('button').click()
  await expect(rows.last().getByRole('button')).toHaveAttribute('aria-pressed', 'true')

  await page.getByTestId('traced-item').selectOption('1')
  await expect(page.getByTestId('item-traces').getByRole('listitem').first()).toContainText(/from .* to /)

  const overTime = page.getByTestId('over-time')
  await expect(overTime.getByRole('img')).toHaveCount(3)
  await page.getByTestId('stop-when-empty').check()
  await expect(overTime.getByTestId('over-time-ends')).toContainText('mission completed')
  await expectAccessible(page, 'explore with measurements')
})

/** A Standard Task Graph: a chain of three, and one beside it. */
const graph = ['4', '0 0 0', '1 3 1 0', '2 5 1 1', '3 2 1 2', '4 9 1 0', '5 0 2 3 4'].join('\n')

test('a task graph dropped on the start page becomes a project, explored by its own times', async ({
  page,
  service,
}) => {
  await page.goto(service.url)
  await page
    .getByTestId('import-file')
    .setInputFiles({ name: 'tea.json', mimeType: 'application/json', buffer: Buffer.from('{"name": "tea"}') })
  await expect(page.getByRole('alert')).toContainText('tea.json was not imported')
  const files = await page.evaluateHandle((text) => {
    const transfer = new DataTransfer()
    transfer.items.add(new File([text], 'little.stg'))
    return transfer
  }, graph)
  await page.dispatchEvent('main', 'drop', { dataTransfer: files })
  await expect(page.getByTestId('imported')).toContainText('4 tasks and 2 edges')
  await expectAccessible(page, 'import')
  await page.getByTestId('imported-open').click()
  await expect(page.locator('[data-testid^="task-node-"]')).toHaveCount(4)
  await page.getByTestId('tab-explore').click()
  await expect(page.getByLabel('Task profile')).toContainText('imported')
  await page.getByTestId('explore-start').click()
  await expect(page.getByTestId('scatter')).toBeVisible({ timeout: 60_000 })
})
