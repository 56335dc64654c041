import type { Page } from '@playwright/test'
import { look } from './look.ts'
import { expect, test } from './service.ts'

/** Opens the code of a task of the project that is on the page, and types a line above it. */
async function edit(page: Page, task: string, line: string): Promise<void> {
  await page.getByTestId(`task-node-${task}`).dblclick()
  await page.getByTestId('code-editor').click()
  await page.keyboard.press('Control+Home')
  await page.keyboard.type(`${line}\n`)
}

/** Waits until the code is saved: the button is disabled while it is being saved, too. */
async function expectSaved(page: Page): Promise<void> {
  const save = page.getByTestId('save-code')
  await expect(save).toBeDisabled()
  await expect(save).not.toHaveAttribute('aria-busy', 'true')
}

test('unsaved code outlives Back and a reload, until it is saved or discarded', async ({ page, service }) => {
  await page.goto(service.url)
  await page.getByTestId('open-example-hello-swarm').click()
  await edit(page, 'judge', '// not saved yet')
  await page.goBack()
  await page.goForward()
  // The dialog is open again, as it was left.
  await expect(page.getByTestId('code-recovered')).toContainText('were restored')
  await page.reload()
  await expect(page.getByTestId('code-draft')).toContainText('has unsaved changes')
  await look(page, 'code-draft')
  await page.getByRole('button', { name: /^Open tasks/ }).click()
  await expect(page.getByTestId('code-recovered')).toContainText('were restored')
  await expect(page.getByTestId('code-editor')).toContainText('// not saved yet')
  await look(page, 'code-recovered')
  await page.getByTestId('save-code').click()
  await expectSaved(page)
  await page.keyboard.press('Escape')
  await expect(page.getByTestId('code-draft')).toHaveCount(0)

  await edit(page, 'judge', '// to be discarded')
  await page.reload()
  await page.getByRole('button', { name: /^Discard changes of tasks/ }).click()
  await expect(page.getByTestId('code-draft')).toHaveCount(0)
  await page.getByTestId('task-node-judge').dblclick()
  await expect(page.getByTestId('code-editor')).toContainText('// not saved yet')
  await expect(page.getByTestId('code-editor')).not.toContainText('// to be discarded')
})

test('of two who edit the same code, the second is shown both texts, and chooses', async ({
  page,
  service,
  browser,
}) => {
  await page.goto(service.url)
  await page.getByTestId('open-example-hello-swarm').click()
  await expect(page.getByTestId('task-node-judge')).toBeVisible()
  const other = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  try {
    const second = await other.newPage()
    await second.goto(page.url())
    await edit(page, 'judge', '// of the first')
    await edit(second, 'judge', '// of the second')
    await page.getByTestId('save-code').click()
    await expectSaved(page)
    await second.getByTestId('save-code').click()
    const conflict = second.getByTestId('code-conflict')
    await expect(conflict).toContainText('Nothing was overwritten')
    await expect(conflict).toContainText('// of the first')
    await expect(conflict).toContainText('// of the second')
    await look(second, 'code-conflict')

    // Escape goes back to the text, which is still there.
    await second.keyboard.press('Escape')
    await expect(second.getByTestId('code-editor')).toContainText('// of the second')
    await second.getByTestId('save-code').click()
    await second.getByRole('button', { name: 'Take theirs' }).click()
    await expect(second.getByTestId('code-editor')).toContainText('// of the first')
    await expectSaved(second)
    await second.keyboard.press('Control+z')
    await expect(second.getByTestId('code-editor')).toContainText('// of the second')
    await second.getByTestId('save-code').click()
    await expectSaved(second)

    // What the first had open is older now: it may still put its own in its place.
    await page.getByTestId('code-editor').click()
    await page.keyboard.type('// again')
    await page.keyboard.press('Control+s')
    await page.getByRole('button', { name: 'Save yours in its place' }).click()
    await expectSaved(page)
    const file = await page.request.get(
      `${service.url}api/projects/${page.url().split('/projects/')[1]?.split('/')[0]}/file?path=tasks/judge.py`,
    )
    expect(await file.text()).toContain('// of the first')
  } finally {
    await other.close()
  }
})
