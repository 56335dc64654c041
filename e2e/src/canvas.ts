/** Working with the canvas by mouse. */
import { expect, type Locator, type Page } from '@playwright/test'

interface Point {
  x: number
  y: number
}

/** The middle of an element, once it no longer moves: the canvas glides when it brings a task into sight. */
export async function centre(element: Locator): Promise<Point> {
  let last = ''
  await expect
    .poll(
      async () => {
        const before = last
        last = JSON.stringify(await element.boundingBox())
        return last !== 'null' && last === before
      },
      { intervals: [150] },
    )
    .toBe(true)
  const { x, y, width, height } = JSON.parse(last)
  return { x: x + width / 2, y: y + height / 2 }
}

/** Where an arrow of a task starts or ends. */
export const handle = (page: Page, task: string, kind: 'source' | 'target') =>
  page
    .locator('.react-flow__node', { has: page.getByTestId(`task-node-${task}`) })
    .locator(`.react-flow__handle.${kind}`)

/** Moves from one point to another with the button down, as a hand does: in steps. */
export async function drag(page: Page, from: Point, to: Point): Promise<void> {
  await page.mouse.move(from.x, from.y)
  await page.mouse.down()
  await page.mouse.move(to.x, to.y, { steps: 15 })
  await page.mouse.up()
}
