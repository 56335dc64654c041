import { look } from './look.ts'
import { expect, test } from './service.ts'

const before = `TaskGraph(list=['sense', 'detect', 'count', 'show'])
Data(frames, kind='stream', size='1MB', rate='2/s')
Task(sense, None, frames, 'tasks/sense.mjs', childTask=['detect'])
Task(detect, frames, found, 'tasks/detect.mjs', parentTask=['sense'], childTask=['count'])
Task(count, found, total, 'tasks/count.mjs', parentTask=['detect'], childTask=['show'])
Task(show, total, None, 'tasks/show.mjs', parentTask=['count'])
`
const after = `TaskGraph(list=['sense', 'shrink', 'detect', 'count'])
Data(frames, kind='stream', size='2MB', rate='2/s')
Task(sense, None, frames, 'tasks/sense.mjs', childTask=['shrink'])
Task(shrink, frames, small, 'tasks/shrink.mjs', parentTask=['sense'], childTask=['detect'])
Task(detect, small, found, 'tasks/detect.mjs', parentTask=['shrink'], childTask=['count'])
Task(count, found, total, 'tasks/count.mjs', parentTask=['detect'])
Persist(count)
`

test('two versions on one canvas: what was added, removed and changed, and what it does to the figures', async ({
  page,
  service,
}) => {
  const api = `${service.url}api/projects`
  const made = await page.request.post(api, { data: { name: 'versions', example: 'hello-swarm' } })
  const { id } = (await made.json()) as { id: string }
  for (const [at, text] of [before, after].entries()) {
    const saved = await page.request.post(`${api}/${id}/versions`, {
      data: { base: at + 1, text, layout: { nodes: {} } },
    })
    expect(saved.ok(), await saved.text()).toBe(true)
  }
  await page.goto(`${service.url}projects/${id}`)
  await expect(page.getByTestId('task-node-shrink')).toBeVisible()
  await page.keyboard.press('Control+k')
  await page.getByPlaceholder('What would you like to do?').fill('versions')
  await page.getByRole('option', { name: 'Versions …' }).click()
  await page.getByLabel('Compare with').selectOption('2')
  await page.getByRole('tab', { name: 'Text' }).press('ArrowRight')
  const canvas = page.getByTestId('version-canvas')
  await expect(canvas.getByTestId('version-summary')).toContainText(
    'From version 2 to version 3: 3 tasks changed, 1 added, 1 removed; 2 edges added, 2 removed.',
  )
  await expect(canvas.getByTestId('task-change-shrink')).toHaveText('+Added')
  await expect(canvas.getByTestId('task-change-show')).toHaveText('−Removed')
  await expect(canvas.getByTestId('task-change-sense')).toHaveText('~Changed')
  await expect(canvas.locator('.react-flow__edge', { hasText: '+' })).toHaveCount(2)
  await expect(canvas.locator('.react-flow__edge', { hasText: '−' })).toHaveCount(2)
  await canvas.getByTestId('choose-sense').click()
  await expect(canvas.getByTestId('version-task')).toHaveText('sense: changed: data frames.')

  await test.step('the figures follow the rule that both are placed by', async () => {
    await page.getByTestId('version-rule').selectOption('edge')
    await expect(canvas.getByTestId('version-figure-energy')).toContainText(
      /J → .* k?J ([+−]\d+%|×[\d.]+) \((better|worse)\)/,
    )
    const onDevices = await canvas.getByTestId('version-figures').textContent()
    await page.getByTestId('version-rule').selectOption('cloud')
    await expect(canvas.getByTestId('version-figures')).not.toHaveText(onDevices ?? '')
  })
  await look(page, 'versions-canvas')
})
