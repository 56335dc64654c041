import type { Page } from '@playwright/test'
import { look } from './look.ts'
import { expect, test } from './service.ts'

const placeOf = async (page: Page, task: string) => {
  const box = await page.getByTestId(`task-node-${task}`).boundingBox()
  if (!box) throw new Error(`${task} is not on the canvas.`)
  return box
}
const tasks = ['readSensor', 'judge', 'summary']
const selected = (page: Page) => page.locator('.react-flow__node.selected')

test('tasks are lined up, and found, by mouse and by keys', async ({ page, service }) => {
  await page.goto(service.url)
  await page.getByTestId('open-example-hello-swarm').click()
  await expect(page.getByTestId('task-node-judge')).toBeVisible()

  await test.step('the menu of several tasks aligns and distributes them; each is one step of undo', async () => {
    await page
      .getByTestId('canvas')
      .locator('.react-flow__pane')
      .click({ position: { x: 20, y: 20 } })
    await page.keyboard.press('ControlOrMeta+a')
    await expect(selected(page)).toHaveCount(3)
    await page.getByTestId('task-node-judge').click({ button: 'right' })
    await look(page, 'canvas-menu')
    await page.getByTestId('menu-align-left').click()
    await expect
      .poll(
        async () =>
          new Set(await Promise.all(tasks.map(async (task) => Math.round((await placeOf(page, task)).x))))
            .size,
      )
      .toBe(1)
    await page.getByTestId('undo-button').click()
    const [first, second] = await Promise.all([placeOf(page, 'readSensor'), placeOf(page, 'judge')])
    expect(second.x).toBeGreaterThan(first.x + first.width)
  })

  await test.step('the menu of one task selects it; the menu key opens it, arrows and Enter choose', async () => {
    await page
      .getByTestId('canvas')
      .locator('.react-flow__pane')
      .click({ position: { x: 20, y: 20 } })
    await expect(selected(page)).toHaveCount(0)
    await page.getByTestId('task-node-summary').click({ button: 'right' })
    await expect(selected(page)).toHaveCount(1)
    await page.keyboard.press('Escape')
    await expect(page.getByTestId('canvas-menu')).toHaveCount(0)
    await page.locator('.react-flow__node[data-id="judge"]').focus()
    await page.keyboard.press('Enter')
    await expect(page.locator('.react-flow__node[data-id="judge"]')).toHaveClass(/selected/)
    await page.keyboard.press('Shift+F10')
    await expect(page.getByTestId('canvas-menu')).toBeVisible()
    await page.keyboard.press('End')
    await expect(page.getByTestId('menu-delete')).toBeFocused()
    await page.keyboard.press('Home')
    await expect(page.getByTestId('menu-code')).toBeFocused()
    await page.keyboard.press('Enter')
    await expect(page.getByTestId('code-editor')).toBeVisible()
    await page.keyboard.press('Escape')
  })

  await test.step('keys go from task to task', async () => {
    await page.locator('.react-flow__node[data-id="readSensor"]').focus()
    await page.keyboard.press('Enter')
    await page.keyboard.press('ControlOrMeta+ArrowRight')
    await expect(page.locator('.react-flow__node[data-id="judge"]')).toHaveClass(/selected/)
    await expect(page.locator('.react-flow__node[data-id="judge"]')).toBeFocused()
    await page.keyboard.press('ControlOrMeta+ArrowRight')
    await expect(page.locator('.react-flow__node[data-id="summary"]')).toHaveClass(/selected/)
  })

  await test.step('Find goes to tasks, data, the text and the code', async () => {
    const find = async (query: string) => {
      await page.keyboard.press('ControlOrMeta+f')
      await page.getByPlaceholder('Find tasks, data, text and code').fill(query)
    }
    await find('frost')
    const found = page.getByTestId('found')
    await expect(found).toContainText('tasks/judge.py:')
    await look(page, 'find')
    await found
      .getByText(/tasks\/judge\.py:\d+/)
      .first()
      .click()
    await expect(page.getByTestId('code-editor')).toContainText('frost')
    await page.keyboard.press('Escape')
    await find('verdict')
    await expect(found).toContainText('Data')
    await found.getByText('verdict', { exact: true }).click()
    await expect(page.locator('[data-testid="canvas"]')).toBeVisible()
    await page.locator('.react-flow__node[data-id="judge"]').focus()
    await find('nothing like it')
    await expect(found).toContainText('Nothing has “nothing like it” in it.')
  })
})

test('with too few tasks selected, a sentence says how to select more', async ({ page, service }) => {
  await page.goto(service.url)
  await page.getByTestId('open-example-hello-swarm').click()
  await page.getByTestId('task-node-judge').click()
  await page.keyboard.press('ControlOrMeta+k')
  await page.getByPlaceholder('What would you like to do?').fill('align top')
  await page.keyboard.press('Enter')
  await expect(page.getByText('Select two or more tasks first')).toBeVisible()
})

test('several tasks are changed at once, and changed back in one step', async ({ page, service }) => {
  await page.goto(service.url)
  await page.getByTestId('open-example-hello-swarm').click()
  await expect(page.getByTestId('task-node-judge')).toBeVisible()
  await page.getByTestId('task-node-judge').click()
  await page.getByTestId('task-node-summary').click({ modifiers: ['ControlOrMeta'] })
  const inspector = page.getByTestId('inspector')
  const text = page.getByTestId('dsl-editor')
  await expect(inspector).toContainText('2 tasks')
  await page.getByTestId('tasks-restore').selectOption('ignore')
  await page.getByLabel('Persist their outputs').check()
  await expect(text).toContainText("Restore(judge, 'ignore')")
  await expect(text).toContainText("Restore(summary, 'ignore')")
  await expect(text).toContainText('Persist(summary)')
  await page.getByTestId('undo-button').click()
  await expect(text).not.toContainText('Persist(summary)')
  await expect(inspector).toContainText('2 tasks')
  await page
    .getByTestId('canvas')
    .locator('.react-flow__pane')
    .click({ position: { x: 20, y: 20 } })
  await page.getByTestId('task-node-judge').click()
  await page.getByLabel('On failure (Restore)').selectOption('')
  await page.getByTestId('task-node-summary').click({ modifiers: ['ControlOrMeta'] })
  await expect(page.getByTestId('tasks-restore')).toHaveValue('mixed')
})

test('F6 goes from pane to pane, also out of a field and out of the text; I goes to the inspector', async ({
  page,
  service,
}) => {
  await page.goto(service.url)
  await page.getByTestId('open-example-hello-swarm').click()
  await page.getByTestId('task-node-judge').click()
  const inPane = (pane: string) =>
    expect
      .poll(() =>
        page.evaluate((id) => document.activeElement?.closest(`[data-testid="${id}"]`) !== null, pane),
      )
      .toBe(true)
  await page.keyboard.press('i')
  await inPane('inspector')
  await page.keyboard.press('F6')
  await inPane('canvas')
  await page.keyboard.press('F6')
  await inPane('dsl-editor')
  await page.keyboard.press('F6')
  await inPane('inspector')
  await page.keyboard.press('Shift+F6')
  await inPane('dsl-editor')
  await page.keyboard.press('Shift+F6')
  await expect(page.locator('.react-flow__node[data-id="judge"]')).toBeFocused()
  await expect(page.getByRole('group', { name: 'Task judge, compute' })).toBeFocused()
})
