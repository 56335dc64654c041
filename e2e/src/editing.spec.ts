import { expect, test } from './service.ts'

test('canvas and text follow each other: connect, delete in the text, undo', async ({ page, service }) => {
  await page.goto(service.url)
  await page.getByTestId('open-example-hello-swarm').click()
  const nodes = page.locator('[data-testid^="task-node-"]')
  const text = page.getByTestId('dsl-editor')
  await expect(nodes).toHaveCount(3)

  await page.getByTestId('palette-item-compute-js').focus()
  await page.keyboard.press('Enter')
  await expect(nodes).toHaveCount(4)
  await expect(text).toContainText('tasks/compute.js')

  const from = await page
    .locator('.react-flow__node', { has: page.getByTestId('task-node-judge') })
    .locator('.react-flow__handle.source')
    .boundingBox()
  const to = await page
    .locator('.react-flow__node', { has: page.getByTestId('task-node-compute') })
    .locator('.react-flow__handle.target')
    .boundingBox()
  if (!from || !to) throw new Error('The handles are not there.')
  await page.mouse.move(from.x + from.width / 2, from.y + from.height / 2)
  await page.mouse.down()
  await page.mouse.move(to.x + to.width / 2, to.y + to.height / 2, { steps: 15 })
  await page.mouse.up()
  await expect(text).toContainText(/childTask=\['summary', 'compute'\]/)

  // An emptied text is an empty canvas, and undo brings both back.
  await text.click()
  await page.keyboard.press('Control+a')
  await page.keyboard.press('Delete')
  await expect(nodes).toHaveCount(0)
  await page.getByTestId('undo-button').click()
  await expect(nodes).toHaveCount(4)
  await expect(text).toContainText('tasks/compute.js')
})
