import { expectAccessible, look } from './look.ts'
import { expect, test } from './service.ts'

test('from the start page to a report of people-recognition @smoke', async ({ page, service }) => {
  await page.goto(service.url)
  await expect(page.getByTestId('example-card-people-recognition')).toBeVisible()
  await look(page, 'start')

  await page.getByTestId('open-example-people-recognition').click()
  await expect(page.getByTestId('task-node-faceRecognition')).toBeVisible()
  await expect(page.getByTestId('dsl-editor')).toContainText('faceRecognition')

  await test.step('a task dragged onto the canvas appears in the text', async () => {
    const item = page
      .locator(
        '[data-testid^="palette-item-compute"], [data-testid^="palette-item-javascript"], [data-testid^="palette-item-js"]',
      )
      .first()
    const canvas = await page.getByTestId('canvas').boundingBox()
    const from = await item.boundingBox()
    if (!canvas || !from) throw new Error('The palette or the canvas is not there.')
    await page.mouse.move(from.x + from.width / 2, from.y + from.height / 2)
    await page.mouse.down()
    await page.mouse.move(canvas.x + canvas.width / 2, canvas.y + canvas.height - 90, { steps: 12 })
    await page.mouse.up()
    await expect(page.locator('[data-testid^="task-node-"]')).toHaveCount(6)
  })
  await look(page, 'workflow')

  await test.step('undo takes it back on both sides', async () => {
    await page.getByTestId('undo-button').click()
    await expect(page.locator('[data-testid^="task-node-"]')).toHaveCount(5)
  })

  await page.getByTestId('tab-explore').click()
  await page.getByTestId('explore-start').click()
  await expect(page.getByTestId('scatter')).toBeVisible({ timeout: 90_000 })
  await page.getByTestId('pick-energy').click()
  await expect(page.getByTestId('breakdown').first()).toBeVisible()
  await look(page, 'explore')

  await page.getByTestId('deploy-candidate').click()
  await expect(page.getByTestId('run-start')).toBeEnabled({ timeout: 90_000 })
  await page.getByTestId('run-start').click()
  await expect(page.getByTestId('headline-value').first()).toBeVisible({ timeout: 150_000 })
  const people = Number(await page.getByTestId('headline-value').first().textContent())
  expect(Math.abs(people - 25)).toBeLessThanOrEqual(1)
  await expect(page.getByTestId('run-state')).toContainText(/succeeded/i, { timeout: 60_000 })
  await look(page, 'run')
  await expectAccessible(page, 'run')

  const download = page.waitForEvent('download')
  await page.getByTestId('report-download').first().click()
  expect((await download).suggestedFilename()).toMatch(/\.html$/)
})
