import type { Page } from '@playwright/test'
import { centre } from './canvas.ts'
import { expect, test } from './service.ts'

const COUNT = 240
const ROWS = 20

/** Chains of twelve tasks below each other. */
function chains(): string {
  const names = Array.from({ length: COUNT }, (_, n) => `t${n}`)
  const tasks = names.map((name, n) => {
    const child = n + ROWS < COUNT ? `'t${n + ROWS}'` : ''
    const parent = n >= ROWS ? `['t${n - ROWS}']` : 'None'
    const read = n >= ROWS ? `d${n - ROWS}` : 'None'
    return `Task(${name}, ${read}, d${n}, 'tasks/t.js', parentTask=${parent}, childTask=[${child}])`
  })
  return `TaskGraph(list=[${names.map((name) => `'${name}'`).join(', ')}])\n${tasks.join('\n')}\n`
}

const drawnEdges = (page: Page): Promise<number> =>
  page
    .getByTestId('far-links')
    .locator('path')
    .evaluateAll((paths) => paths.map((path) => path.getAttribute('d')?.match(/M/g)?.length ?? 0))
    .then((counts) => counts.reduce((sum, count) => sum + count, 0))

test('six tasks in a chain have legible names on a small screen', async ({ page, service }) => {
  const names = ['camera', 'frames', 'faces', 'people', 'report', 'archive']
  const made = await page.request.post(`${service.url}api/projects`, {
    data: {
      name: 'Six',
      text: `TaskGraph(list=[${names.map((name) => `'${name}'`).join(', ')}])\n${names
        .map(
          (name, at) =>
            `Task(${name}, ${at > 0 ? `${names[at - 1]}Data` : 'None'}, ${name}Data, 'tasks/t.js', parentTask=${at > 0 ? `['${names[at - 1]}']` : 'None'}, childTask=[${names[at + 1] ? `'${names[at + 1]}'` : ''}])`,
        )
        .join('\n')}\n`,
    },
  })
  const { id } = (await made.json()) as { id: string }
  await page.setViewportSize({ width: 1024, height: 768 })
  await page.goto(`${service.url}projects/${id}`)
  for (const name of names) {
    const shown = page.getByTestId(`task-node-${name}`)
    await expect(shown).toBeInViewport({ ratio: 0.99 })
    // A word of the name, as large as it is on the screen.
    const height = await shown.getByText(name, { exact: true }).evaluate((element) => {
      const zoom = new DOMMatrix(
        getComputedStyle(element.closest('.react-flow__viewport') as Element).transform,
      ).a
      return Number.parseFloat(getComputedStyle(element).fontSize) * zoom
    })
    expect(height).toBeGreaterThan(12)
  }
})

test('a large workflow shows its edges from afar, and the overview leads to any part of it', async ({
  page,
  service,
}) => {
  const made = await page.request.post(`${service.url}api/projects`, {
    data: { name: 'Chains', text: chains() },
  })
  const { id } = (await made.json()) as { id: string }
  await page.goto(`${service.url}projects/${id}`)
  const moved = page.getByTestId('task-node-t100')
  await expect(moved).toBeVisible()
  expect(await drawnEdges(page)).toBe(COUNT - ROWS)

  // Edges follow a task that is dragged from afar.
  const paths = page.getByTestId('far-links').locator('path')
  const still = await paths.first().getAttribute('d')
  const at = await centre(moved)
  await page.mouse.move(at.x, at.y)
  await page.mouse.down()
  await page.mouse.move(at.x + 10, at.y + 40, { steps: 4 })
  await expect(paths).toHaveCount(2)
  expect(await drawnEdges(page)).toBe(COUNT - ROWS)
  await page.mouse.up()
  await expect(paths).toHaveCount(1)
  expect(await paths.first().getAttribute('d')).not.toBe(still)

  // Near, they are edges to be selected.
  const pane = await centre(page.locator('.react-flow'))
  await page.mouse.move(pane.x, pane.y)
  for (let turn = 0; turn < 8; turn++) await page.mouse.wheel(0, -200)
  await expect(page.locator('.react-flow__edge').first()).toBeAttached()
  await expect(page.getByTestId('far-links')).toHaveCount(0)
  await expect(page.getByTestId('task-node-t239')).toHaveCount(0)

  const overview = page.getByRole('img', { name: 'Overview' })
  const box = await overview.boundingBox()
  if (!box) throw new Error('There is no overview.')
  await page.mouse.click(box.x + box.width * 0.88, box.y + box.height * 0.88)
  await expect(page.getByTestId('task-node-t239')).toBeVisible()
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2)
  for (let turn = 0; turn < 8; turn++) await page.mouse.wheel(0, 400)
  await expect(page.getByTestId('far-links')).toBeAttached()
})
