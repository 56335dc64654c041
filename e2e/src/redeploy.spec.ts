import { expectAccessible } from './look.ts'
import { expect, test } from './service.ts'

const placement = { readSensor: 'edge', judge: 'cloud', summary: 'cloud' }

test('a second deployment says what it changes; logs and devices can be read', async ({ page, service }) => {
  const post = async (path: string, data: unknown): Promise<{ id: string }> => {
    const answer = await page.request.post(`${service.url}api${path}`, { data })
    expect(answer.ok(), await answer.text()).toBe(true)
    return (await answer.json()) as { id: string }
  }
  const project = await post('/projects', { name: 'Hello', example: 'hello-swarm' })
  const first = await post(`/projects/${project.id}/deployments`, { version: 1, placement, agents: 1 })
  await page.goto(`${service.url}projects/${project.id}/run?deployment=${first.id}`)
  await expect(page.getByTestId('run-start')).toBeEnabled({ timeout: 90_000 })

  const changes = page.getByTestId('planned-changes')
  await expect(changes).toContainText('Nothing changes: 2 functions and 1 agent stay.')
  await page.getByTestId('deploy-agents').fill('2')
  await expect(changes).toContainText('2 functions stay; 1 agent starts, 1 stays.')
  await changes.locator('summary').click()
  await expect(changes.getByText('The device is new in this deployment.')).toBeVisible()

  await page.getByTestId('deploy-again').click()
  await expect(page.getByTestId('logs-agent-device-2')).toBeVisible({ timeout: 90_000 })
  await expect(page.getByTestId('run-start')).toBeEnabled({ timeout: 90_000 })
  await page.getByTestId('run-start').click()
  await expect(page.getByTestId('run-state')).toContainText('succeeded', { timeout: 90_000 })

  const open = page.getByTestId('logs-function-judge')
  await open.click()
  await expect(page.getByTestId('resource-logs')).toContainText('frost at station')
  await expectAccessible(page, 'logs')
  await page.keyboard.press('Escape')
  await expect(open).toBeFocused()

  await page.getByTestId('devices-link').click()
  await expect(page.getByTestId('devices').getByRole('row')).toHaveCount(3)
  await expect(page.getByTestId('devices')).toContainText('2 online')
  await expectAccessible(page, 'devices')
})

test('a deployment can stand beside the running one, and both can be shown', async ({ page, service }) => {
  const api = `${service.url}api`
  const created = await page.request.post(`${api}/projects`, {
    data: { name: 'Hello', example: 'hello-swarm' },
  })
  const project = (await created.json()) as { id: string }
  const made = await page.request.post(`${api}/projects/${project.id}/deployments`, {
    data: { version: 1, placement, agents: 1 },
  })
  const first = (await made.json()) as { id: string }
  await page.goto(`${service.url}projects/${project.id}/run?deployment=${first.id}`)
  await expect(page.getByTestId('run-start')).toBeEnabled({ timeout: 90_000 })
  await expect(page.getByTestId('planned-changes')).toContainText('stay')
  await page.getByTestId('deploy-beside').check()
  await expect(page.getByTestId('planned-changes')).toHaveCount(0)
  await expectAccessible(page, 'deploy beside')
  await page.getByTestId('deploy-again').click()
  await expect(page).not.toHaveURL(new RegExp(first.id), { timeout: 90_000 })
  await expect(page.getByTestId('run-start')).toBeEnabled({ timeout: 90_000 })
  const stateOf = async (id: string) =>
    ((await (await page.request.get(`${api}/deployments/${id}`)).json()) as { state: string }).state
  expect(await stateOf(first.id)).toBe('ready')
  await page.getByLabel('Deployment to show').selectOption(first.id)
  await expect(page.getByTestId('run-start')).toBeEnabled()
})

test('changed code does not run unseen: the run screen names it, and deploys it first', async ({
  page,
  service,
}) => {
  const api = `${service.url}api`
  const created = await page.request.post(`${api}/projects`, {
    data: { name: 'Hello', example: 'hello-swarm' },
  })
  const project = (await created.json()) as { id: string }
  const made = await page.request.post(`${api}/projects/${project.id}/deployments`, {
    data: { version: 1, placement, agents: 1 },
  })
  const first = (await made.json()) as { id: string }
  await page.goto(`${service.url}projects/${project.id}/run?deployment=${first.id}`)
  await expect(page.getByTestId('run-start')).toBeEnabled({ timeout: 90_000 })
  await expect(page.getByTestId('run-stale')).toHaveCount(0)

  // The screen is open while the file changes elsewhere: the start asks once more, and shows it instead of running.
  const file = `${api}/projects/${project.id}/file?path=tasks/summary.mjs`
  const text = `export const run = () => ({ readings: 4711 })\n`
  expect((await page.request.put(file, { data: { text } })).ok()).toBe(true)
  await page.getByTestId('run-start').click()
  await expect(page.getByTestId('run-stale')).toContainText(
    'tasks/summary.mjs changed since version 1 was saved',
  )
  await expect(page.getByTestId('run-history')).toHaveCount(0)
  await expectAccessible(page, 'run with something newer')

  await page.getByTestId('redeploy-and-run').click()
  await expect(page.getByTestId('run-state')).toContainText('succeeded', { timeout: 120_000 })
  await expect(page.getByText(/4.?711/).first()).toBeVisible()
  await expect(page.getByTestId('run-stale')).toHaveCount(0)
  await expect(page.getByText('version 2, 1 edge agent')).toBeVisible()
})
