import { centre, drag, handle } from './canvas.ts'
import { expect, test } from './service.ts'

test('canvas and text follow each other: connect, delete in the text, undo', async ({ page, service }) => {
  await page.goto(service.url)
  await page.getByTestId('open-example-hello-swarm').click()
  const nodes = page.locator('[data-testid^="task-node-"]')
  const text = page.getByTestId('dsl-editor')
  const undo = page.getByTestId('undo-button')
  await expect(nodes).toHaveCount(3)

  await page.getByTestId('palette-item-compute-js').focus()
  await page.keyboard.press('Enter')
  await expect(nodes).toHaveCount(4)
  await expect(text).toContainText('tasks/compute.js')

  await drag(
    page,
    await centre(handle(page, 'judge', 'source')),
    await centre(handle(page, 'compute', 'target')),
  )
  await expect(text).toContainText(/childTask=\['summary', 'compute'\]/)

  // An emptied text is an empty canvas, and undo brings both back, step by step.
  await text.click()
  await page.keyboard.press('Control+a')
  await page.keyboard.press('Delete')
  await expect(nodes).toHaveCount(0)
  await undo.click()
  await expect(nodes).toHaveCount(4)
  await expect(text).toContainText(/childTask=\['summary', 'compute'\]/)
  await undo.click()
  await expect(text).not.toContainText(/childTask=\['summary', 'compute'\]/)
  await expect(nodes).toHaveCount(4)
  await undo.click()
  await expect(nodes).toHaveCount(3)
  await expect(text).not.toContainText('tasks/compute.js')
})
