/** Functions that share a container, in the browser: chosen where something is deployed, seen in the plan, the run and its trace of calls. */
import type { Page } from '@playwright/test'
import { openExplore } from './explorations.ts'
import { look } from './look.ts'
import { expect, type Service, test } from './service.ts'

/** Hello with one more task, which reads what `judge` emits and nothing else. */
async function withWarnings(page: Page, service: Service): Promise<string> {
  const api = `${service.url}api/projects`
  const made = await page.request.post(api, { data: { name: 'Warnings', example: 'hello-swarm' } })
  const { id } = (await made.json()) as { id: string }
  const { text, layout } = await (await page.request.get(`${api}/${id}/versions/1`)).json()
  const put = await page.request.put(`${api}/${id}/file?path=tasks/warn.mjs`, {
    data: { text: 'export const run = ({ verdict }) => Object.keys(verdict).length\n' },
  })
  expect(put.ok(), await put.text()).toBe(true)
  const more = text
    .replace("'judge', 'summary']", "'judge', 'warn', 'summary']")
    .replace("childTask=['summary']", "childTask=['summary', 'warn']")
  const added = "\nTask(warn, verdict, warning, 'tasks/warn.mjs', parentTask=['judge'], childTask=[])\n"
  const saved = await page.request.post(`${api}/${id}/versions`, {
    data: { base: 1, text: more + added, layout, message: 'Warnings' },
  })
  expect(saved.ok(), await saved.text()).toBe(true)
  const { number, errors } = (await saved.json()) as { number: number; errors: number }
  expect(errors).toBe(0)
  const started = await page.request.post(`${api}/${id}/explorations`, {
    data: { version: number, fleet: 'local', handOver: 'co-placed' },
  })
  expect(started.ok(), await started.text()).toBe(true)
  return id
}

test('a candidate is deployed in one container, and again through the store', async ({ page, service }) => {
  const project = await withWarnings(page, service)
  await openExplore(page, service, project)
  await page
    .locator('[data-testid^="candidate-row-"]')
    .getByRole('button', { name: 'all in the cloud' })
    .click()
  const between = page.getByTestId('deploy-hand-over')
  // as it was explored
  await expect(between).toHaveValue('co-placed')
  await expect(page.getByTestId('planned-changes')).toContainText('2 functions start')
  await page.getByTestId('planned-changes').locator('summary').click()
  await expect(page.getByTestId('planned-needs')).toContainText('judge, warn share a container')
  await page.getByTestId('deploy-candidate').scrollIntoViewIfNeeded()
  await look(page, 'explore-co-placed')
  await page.getByTestId('deploy-candidate').click()

  await page.getByTestId('run-start').click({ timeout: 90_000 })
  await expect(page.getByTestId('run-state')).toContainText('succeeded', { timeout: 90_000 })
  await expect(page.getByTestId('logs-function-judge+warn')).toBeVisible()
  await expect(between).toHaveValue('co-placed')
  await look(page, 'run-co-placed')

  await between.selectOption('store')
  const changes = page.getByTestId('planned-changes')
  await changes.locator('summary').click()
  await expect(changes).toContainText("What it did is part of 'judge' now.")
  await page.getByTestId('deploy-again').click()
  await expect(page.getByTestId('logs-function-warn')).toBeVisible({ timeout: 90_000 })
  await expect(page.getByTestId('run-start')).toBeEnabled({ timeout: 90_000 })
  await page.getByTestId('run-start').click()
  await expect(page.getByTestId('run-state')).toContainText('succeeded', { timeout: 90_000 })
})
