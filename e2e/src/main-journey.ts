/** The main job, from the start page of a service to the report of a run on the target that it has. */
import { expect, type Page, test } from '@playwright/test'
import { centre, drag, handle } from './canvas.ts'
import { expectAccessible, look } from './look.ts'

/** Builds people-recognition, explores it, deploys the placement of least energy, runs it and takes the report. */
export async function mainJourney(page: Page, url: string): Promise<void> {
  await page.goto(url)
  await expect(page.getByTestId('example-card-people-recognition')).toBeVisible()
  await look(page, 'start')

  await page.getByTestId('open-example-people-recognition').click()
  await expect(page.getByTestId('task-node-faceRecognition')).toBeVisible()
  await expect(page.getByTestId('dsl-editor')).toContainText('faceRecognition')

  const tasks = page.locator('[data-testid^="task-node-"]')
  const text = page.getByTestId('dsl-editor')
  const undo = page.getByTestId('undo-button')
  await test.step('a task dragged onto the canvas appears in the text', async () => {
    const from = await centre(page.getByTestId('palette-item-compute-js'))
    const canvas = await page.getByTestId('canvas').boundingBox()
    if (!canvas) throw new Error('The canvas is not there.')
    await drag(page, from, { x: canvas.x + canvas.width / 2, y: canvas.y + canvas.height - 90 })
    await expect(tasks).toHaveCount(6)
    await expect(text).toContainText("Task(compute, None, None, 'tasks/compute.js'")
  })

  await test.step('an arrow drawn to it appears in the text', async () => {
    const from = await centre(handle(page, 'deduplication', 'source'))
    await drag(page, from, await centre(handle(page, 'compute', 'target')))
    await expect(text).toContainText("childTask=['compute']")
  })
  await look(page, 'workflow')

  await test.step('deleted in the text, it leaves the canvas; undo brings it back, and takes it away', async () => {
    await text.getByText('Task(compute,').click({ clickCount: 3 })
    await page.keyboard.press('Delete')
    await expect(tasks).toHaveCount(5)
    await undo.click()
    await expect(tasks).toHaveCount(6)
    await undo.click()
    await expect(text).not.toContainText("childTask=['compute']")
    await undo.click()
    await expect(tasks).toHaveCount(5)
    await expect(text).not.toContainText('compute')
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
  // more frames at once than a warm process takes
  await expect(page.getByTestId('starts-faceRecognition')).toHaveText(/^Cold: [1-9].*; warm: /)
  await look(page, 'run')
  await expectAccessible(page, 'run')

  const download = page.waitForEvent('download')
  await page.getByTestId('report-download').first().click()
  expect((await download).suggestedFilename()).toMatch(/\.html$/)
}
