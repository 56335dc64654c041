import { centre, drag } from './canvas.ts'
import { look } from './look.ts'
import { expect, test } from './service.ts'

const chain = ['camera', 'frames', 'faces', 'names', 'report', 'store']
const text = `TaskGraph(list=[${chain.map((name) => `'${name}'`).join(', ')}])
${chain
  .map(
    (name, at) =>
      `Task(${name}, ${at > 0 ? `${chain[at - 1]}Data` : 'None'}, ${name}Data, 'tasks/${name}.js', parentTask=${at > 0 ? `['${chain[at - 1]}']` : 'None'}, childTask=[${at + 1 < chain.length ? `'${chain[at + 1]}'` : ''}])`,
  )
  .join('\n')}
`

test('tasks are grouped, the group is named, moved, folded and kept', async ({ page, service }) => {
  const made = await page.request.post(`${service.url}api/projects`, { data: { name: 'Groups', text } })
  const { id } = (await made.json()) as { id: string }
  await page.goto(`${service.url}projects/${id}`)
  const task = (name: string) => page.getByTestId(`task-node-${name}`)

  await test.step('Ctrl+G puts a frame around the selected tasks', async () => {
    await task('frames').click()
    await task('faces').click({ modifiers: ['ControlOrMeta'] })
    await page.keyboard.press('Control+g')
    await expect(page.getByTestId('group-Group 1')).toBeVisible()
    await page.getByTestId('field-group').fill('Recognition')
    await page.keyboard.press('Enter')
    await expect(page.getByTestId('group-Recognition')).toBeVisible()
    await look(page, 'group-frame')
  })

  await test.step('its title moves all of its tasks', async () => {
    const before = await centre(task('frames'))
    const title = await centre(page.getByTestId('group-Recognition').getByText('Recognition'))
    await drag(page, title, { x: title.x + 24, y: title.y + 60 })
    const after = await centre(task('frames'))
    expect(after.y - before.y).toBeGreaterThan(40)
    await page.getByTestId('undo-button').click()
    await expect.poll(async () => (await centre(task('frames'))).y).toBeCloseTo(before.y, 0)
  })

  await test.step('folded it is one card, with the edges of its tasks', async () => {
    await page.getByTestId('fold-Recognition').click()
    await expect(task('faces')).toHaveCount(0)
    await expect(page.getByTestId('group-Recognition')).toContainText('Recognition')
    await expect(page.getByRole('img', { name: 'cameraData from camera to Recognition' })).toBeAttached()
    await expect(page.getByRole('img', { name: 'facesData from Recognition to names' })).toBeAttached()
    await look(page, 'group-folded')
  })

  await test.step('a double click folds and unfolds it; a problem of a hidden task unfolds it', async () => {
    const group = page.getByTestId('group-Recognition')
    await group.dblclick()
    await expect(task('faces')).toBeVisible()
    await group.getByText('Recognition').dblclick()
    await expect(task('faces')).toHaveCount(0)
    const problems = page.getByTestId('problems')
    await problems.getByRole('button').first().click()
    await problems.getByRole('button', { name: 'tasks/faces.js' }).first().click()
    await expect(task('faces')).toBeVisible()
    await problems.getByRole('button').first().click()
    await page.getByTestId('fold-Recognition').click()
    await expect(task('faces')).toHaveCount(0)
  })

  await test.step('it is saved, and the same after a reload', async () => {
    await page.getByTestId('save-button').click()
    await expect(page.getByText('Version 2, saved')).toBeVisible()
    await page.reload()
    await expect(page.getByTestId('group-Recognition')).toBeVisible()
    await expect(task('faces')).toHaveCount(0)
  })

  await test.step('a task that is looked for unfolds it; without its tasks it is gone', async () => {
    await page.keyboard.press('Control+f')
    await page.keyboard.type('faces')
    await page.keyboard.press('Enter')
    await expect(task('faces')).toBeVisible()
    await page.getByTestId('group-Recognition').getByText('Recognition').click()
    await expect(page.getByText('2 tasks', { exact: true }).first()).toBeVisible()
    await page.keyboard.press('g')
    await expect(task('faces')).toHaveCount(0)
    await page.keyboard.press('g')
    await page.keyboard.press('Control+Shift+G')
    await expect(page.getByTestId('group-Recognition')).toHaveCount(0)
    await expect(task('faces')).toBeVisible()
  })

  await test.step('Arrange brings the tasks of a group together, and no other into its frame', async () => {
    await task('camera').click()
    await task('report').click({ modifiers: ['ControlOrMeta'] })
    await page.keyboard.press('Control+g')
    const frame = page.getByTestId('group-Group 1')
    const inside = async () => {
      const box = await frame.boundingBox()
      const within = await Promise.all(
        chain.map(async (name) => {
          const { x, y } = await centre(task(name))
          return box && x > box.x && x < box.x + box.width && y > box.y && y < box.y + box.height
        }),
      )
      return chain.filter((_, at) => within[at])
    }
    expect(await inside()).not.toEqual(['camera', 'report'])
    await page.locator('.react-flow__pane').press('l')
    await expect.poll(inside, { timeout: 15_000 }).toEqual(['camera', 'report'])
  })
})
