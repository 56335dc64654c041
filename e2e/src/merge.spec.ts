import type { Page } from '@playwright/test'
import { look } from './look.ts'
import { expect, test } from './service.ts'

const base = `# Three tasks in a line.
TaskGraph(list=['sense', 'detect', 'count'])
Data(frames, kind='stream', size='1MB', rate='2/s')
Task(sense, None, frames, 'tasks/sense.mjs', childTask=['detect'])
Task(detect, frames, found, 'tasks/detect.mjs', parentTask=['sense'], childTask=['count'], limit=3)
Task(count, found, total, 'tasks/count.mjs', parentTask=['detect'])
`

/** Replaces the text in the editor. */
async function write(page: Page, text: string): Promise<void> {
  await page.getByTestId('dsl-editor').locator('.cm-content').click()
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.insertText(text)
}

test('when somebody else saved meanwhile, both changes are merged by their tasks, on the canvas', async ({
  page,
  service,
}) => {
  const api = `${service.url}api/projects`
  const made = await page.request.post(api, { data: { name: 'merge', example: 'hello-swarm' } })
  const { id } = (await made.json()) as { id: string }
  const saveVersion = async (at: number, text: string) => {
    const saved = await page.request.post(`${api}/${id}/versions`, {
      data: { base: at, text, layout: { nodes: {} } },
    })
    expect(saved.ok(), await saved.text()).toBe(true)
  }
  const textOf = async (version: number): Promise<string> =>
    (await (await page.request.get(`${api}/${id}/versions/${version}`)).json()).text
  await saveVersion(1, base)
  await page.goto(`${service.url}projects/${id}`)
  await expect(page.getByTestId('task-node-detect')).toBeVisible()

  await test.step('different things: one press, nothing is lost', async () => {
    await write(page, base.replace("'tasks/count.mjs'", "'tasks/count_all.mjs'"))
    await saveVersion(2, base.replace('limit=3', 'limit=9').replace('# Three tasks', '# Three named tasks'))
    await page.getByTestId('save-button').click()
    const merge = page.getByTestId('merge')
    await expect(merge).toContainText('both changes fit together')
    await expect(merge.getByTestId('version-summary')).toContainText(
      'From version 3 to the merge: 1 task changed',
    )
    await expect(merge.getByTestId('task-change-count')).toHaveText('~Changed')
    await page.getByRole('button', { name: 'Merge and save as version 4' }).click()
    await expect(page.getByTestId('save-state')).toContainText('4')
    const merged = await textOf(4)
    for (const part of ["'tasks/count_all.mjs'", 'limit=9', '# Three named tasks'])
      expect(merged).toContain(part)
    await expect(page.getByTestId('dsl-editor')).toContainText('limit=9')
  })

  await test.step('the same thing: the person chooses, by keyboard too', async () => {
    const four = await textOf(4)
    await write(page, four.replace('limit=9', 'limit=5'))
    await saveVersion(
      4,
      four
        .replace("['sense', 'detect', 'count']", "['sense', 'detect', 'count', 'show']")
        .replace('limit=9', 'limit=7')
        .replace("parentTask=['detect'])", "parentTask=['detect'], childTask=['show'])")
        .concat("Task(show, total, None, 'tasks/show.mjs', parentTask=['count'])\n"),
    )
    await page.keyboard.press('ControlOrMeta+s')
    const merge = page.getByTestId('merge')
    await expect(merge).toContainText('One thing was changed on both sides.')
    await expect(merge).toContainText('detect: argument limit')
    await expect(merge.getByTestId('task-change-detect')).toHaveText('~Changed')
    await merge.getByRole('radio', { name: 'yours' }).focus()
    await page.keyboard.press('ArrowDown')
    await expect(merge.getByRole('radio', { name: 'version 5' })).toBeChecked()
    await expect(merge.getByTestId('version-summary')).toContainText('No task and no edge differs.')
    await merge.getByRole('radio', { name: 'yours' }).check()
    await look(page, 'merge')
    await page.getByRole('button', { name: 'Show both texts' }).click()
    await expect(page.getByRole('dialog')).toContainText('Version 5 (newest)')
    await page.getByTestId('take-merge').click()
    await expect(page.getByTestId('save-state')).toContainText('6')
    const merged = await textOf(6)
    for (const part of ['limit=5', "'tasks/show.mjs'"]) expect(merged).toContain(part)
    await expect(page.getByTestId('task-node-show')).toBeVisible()
    await page.keyboard.press('ControlOrMeta+z')
    await expect(page.getByTestId('task-node-show')).toHaveCount(0)
  })

  await test.step('a text with syntax errors is not merged: the texts are shown, and the choice', async () => {
    await write(page, `${base}Task(`)
    await saveVersion(6, base)
    await page.keyboard.press('ControlOrMeta+s')
    await expect(page.getByRole('dialog')).toContainText('syntax errors')
    await expect(page.getByTestId('take-merge')).toHaveCount(0)
    await page.getByRole('button', { name: 'Continue editing' }).click()
    await expect(page.getByTestId('dsl-editor')).toContainText('Task(')
  })
})
