import type { Locator, Page } from '@playwright/test'
import { centre, handle } from './canvas.ts'
import { expectAccessible, look } from './look.ts'
import { expect, test } from './service.ts'

/** Counts the clicks of a hand. */
function hand() {
  let gestures = 0
  return {
    click: async (target: Locator): Promise<void> => {
      gestures++
      await target.click({ timeout: 90_000 })
    },
    count: () => gestures,
  }
}

const items = ['sensor', 'nfu-filter', 'nfu-average', 'compute-js', 'barrier', 'actuator']

async function expectGreen(page: Page): Promise<void> {
  await expect(page.getByTestId('run-state')).toContainText('succeeded', { timeout: 120_000 })
}

test('six tasks by mouse, from an empty canvas to a green run in at most 30 gestures', async ({
  page,
  service,
}) => {
  const mouse = hand()
  await page.goto(service.url)
  await mouse.click(page.getByTestId('new-project'))
  for (const item of items) await mouse.click(page.getByTestId(`palette-item-${item}`))
  await expect(page.locator('[data-testid^="task-node-"]')).toHaveCount(6)
  await mouse.click(page.getByTestId('create-files'))
  await expect(page.getByTestId('problems')).toContainText('No problems')
  await mouse.click(page.getByTestId('save-button'))
  await mouse.click(page.getByTestId('tab-explore'))
  await test.step('the tasks are measured before they are explored', async () => {
    await mouse.click(page.getByTestId('explore-start'))
    await expect(page.getByTestId('measure-first')).toBeVisible()
    await expectAccessible(page, 'measure first')
    await expect(page.getByTestId('scatter')).toBeVisible({ timeout: 120_000 })
    await expect(page.getByTestId('assumed-note')).toHaveCount(0)
  })
  await mouse.click(page.getByTestId('deploy-candidate'))
  await mouse.click(page.getByTestId('run-start'))
  await expectGreen(page)
  expect(mouse.count()).toBeLessThanOrEqual(30)
  console.log(`by mouse: ${mouse.count()} gestures`)
})

test('who skips the measurement is told what is assumed', async ({ page, service }) => {
  await page.goto(service.url)
  await page.getByTestId('new-project').click()
  for (const item of ['sensor', 'compute-py']) await page.getByTestId(`palette-item-${item}`).click()
  await page.getByTestId('create-files').click()
  await expect(page.getByTestId('problems')).toContainText('No problems')
  await page.getByTestId('save-button').click()
  await page.getByTestId('tab-explore').click()
  await page.getByTestId('explore-start').click()
  await page.getByTestId('measure-skip').click()
  await expect(page.getByTestId('scatter')).toBeVisible({ timeout: 120_000 })
  await expect(page.getByTestId('assumed-note')).toContainText('Nothing here has been measured')
  await expect(page.getByTestId('breakdown').getByText('assumed')).toHaveCount(2)
  await look(page, 'assumed')

  await page.getByTestId('measure-again').click()
  await expect(page.getByTestId('assumed-note')).toHaveCount(0, { timeout: 120_000 })
  await expect(page.getByTestId('scatter')).toBeVisible({ timeout: 120_000 })
})

test('the parameters of an op are a form, and a deleted edge takes its data along', async ({
  page,
  service,
}) => {
  await page.goto(service.url)
  await page.getByTestId('new-project').click()
  for (const item of ['sensor', 'nfu-filter']) await page.getByTestId(`palette-item-${item}`).click()
  const text = page.getByTestId('dsl-editor')
  await expect(text).toContainText(
    "Task(filter, sensorData, None, 'nfu:filter?above=0', parentTask=['sensor']",
  )

  await test.step('the parameters of an op are fields', async () => {
    await page.getByTestId('op-above').fill('21')
    await page.getByTestId('op-below').fill('20')
    await page.getByTestId('op-below').press('Enter')
    await expect(page.getByText('Nothing passes this filter')).toBeVisible()
    await page.getByTestId('op-below').fill('30')
    await page.getByTestId('op-below').press('Enter')
    await expect(text).toContainText('nfu:filter?above=21&below=30')
    await expectAccessible(page, 'an op')
  })

  // A level edge has no height, so that it is clicked by its place.
  const from = await centre(handle(page, 'sensor', 'source'))
  const to = await centre(handle(page, 'filter', 'target'))
  await page.mouse.click((from.x + to.x) / 2, (from.y + to.y) / 2)
  await page.keyboard.press('Delete')
  await expect(text).toContainText("Task(filter, None, None, 'nfu:filter?above=21&below=30', parentTask=[]")
  await page.getByTestId('undo-button').click()
  await expect(text).toContainText('Task(filter, sensorData')
})
