/** Edge nodes in the browser: a fleet gets them, Explore trades them off, this machine plays them, a task is pinned to them. */
import type { Page } from '@playwright/test'
import { look } from './look.ts'
import { expect, type Service, test } from './service.ts'

async function newProject(page: Page, service: Service): Promise<string> {
  const made = await page.request.post(`${service.url}api/projects`, {
    data: { name: 'Field', example: 'hello-swarm' },
  })
  return ((await made.json()) as { id: string }).id
}

test('a fleet gets edge nodes, which can be explored, deployed on and pinned to', async ({
  page,
  service,
}) => {
  const project = await newProject(page, service)
  await page.goto(`${service.url}projects/${project}`)

  // The shipped fleet that has them, then another one that gets some.
  await page.getByTestId('tab-fleets').click()
  await page.getByTestId('fleet-sensor-gateways').click()
  await expect(page.getByTestId('fleet-picture')).toContainText('3 × Gateway with a small computer')
  await look(page, 'fleets-edge-nodes')
  await page.getByTestId('fleet-paper-drones').click()
  await page.getByRole('button', { name: 'Copy', exact: true }).click()
  await page.getByLabel('Name', { exact: true }).fill('my-drones')
  await page.getByRole('dialog').getByRole('button', { name: 'Copy' }).click()
  const nodes = page.getByTestId('edge-nodes')
  await nodes.getByRole('checkbox').check()
  await nodes.getByLabel('Short name').fill('ground-station')
  const serves = nodes.getByLabel('Device classes that they serve')
  await serves.fill('rover')
  await expect(nodes.getByText('must be a class of devices of this fleet (ar-drone-2)')).toBeVisible()
  await serves.fill('')
  await expect(nodes.getByText('must be a class of devices')).toHaveCount(0)
  await nodes.getByLabel('Edge nodes', { exact: true }).fill('2')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(page.getByText('Unsaved changes', { exact: true })).toHaveCount(0)
  await expect(page.getByTestId('fleet-picture')).toContainText('2 × Gateway')

  // Explored: the tier has a candidate of its own.
  await page.getByTestId('explore-fleet').click()
  await page.getByTestId('explore-start').click()
  await expect(page.getByTestId('scatter')).toBeVisible({ timeout: 120_000 })
  await page
    .locator('[data-testid^="candidate-row-"]')
    .getByRole('button', { name: 'all on the edge nodes' })
    .click()
  await expect(page.getByTestId('candidate-name')).toHaveText('All on the edge nodes')
  await expect(page.getByText('Edge nodes busy')).toBeVisible()
  const colour = await page.evaluate(() =>
    getComputedStyle(document.documentElement).getPropertyValue('--color-edge-node'),
  )
  expect(colour).toMatch(/^#[0-9a-f]{6}$/)
  await page.getByTestId('candidate-name').scrollIntoViewIfNeeded()
  await look(page, 'explore-edge-nodes')

  // Deployed, on two of them.
  const nodeCount = page.getByTestId('deploy-edge-nodes')
  await nodeCount.fill('17')
  await expect(page.getByText('Enter a whole number of edge nodes from 1 to 16.')).toBeVisible()
  await expect(page.getByTestId('deploy-candidate')).toBeDisabled()
  await nodeCount.fill('2')
  await page.getByTestId('deploy-candidate').click()
  await page.getByTestId('run-start').click({ timeout: 90_000 })
  await expect(page.getByTestId('run-state')).toContainText('succeeded', { timeout: 90_000 })
  await expect(page.getByTestId('logs-function-judge@edge-node-1')).toBeVisible()
  await expect(page.getByTestId('deploy-edge-nodes')).toHaveValue('2')
  await look(page, 'run-edge-nodes')

  // Pinned in the inspector, and drawn in the colour of the tier.
  await page.getByTestId('tab-workflow').click()
  await page.getByTestId('task-node-judge').click()
  await page.getByTestId('field-place').selectOption('Edge:ground-station')
  await expect(page.getByTestId('task-node-judge')).toContainText('ground-station')
  await expect(page.locator('.cm-content')).toContainText("Place(judge, 'Edge:ground-station')")
  await look(page, 'workflow-edge-nodes')
})
