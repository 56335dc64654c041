import { explored } from './explorations.ts'
import { look } from './look.ts'
import { expect, test } from './service.ts'

test('the fastest placement runs in one click; a failure leads to the line of code that failed', async ({
  page,
  service,
}) => {
  const { project } = await explored(page, service, 'hello-swarm')
  await page.goto(`${service.url}projects/${project}/run`)
  await expect(page.getByTestId('fastest')).toContainText(
    'the fastest placement that was explored of version 1',
  )
  await look(page, 'run-nothing-deployed')
  await page.getByTestId('deploy-fastest').click()
  await expect(page.getByTestId('run-state')).toContainText('succeeded', { timeout: 120_000 })
  await expect(page.getByTestId('run-failures')).toHaveCount(0)

  await test.step('a task of the graph leads to its code, log lines and outputs', async () => {
    await page.getByTestId('choose-judge').press('Enter')
    const details = page.getByTestId('task-details')
    await expect(details).toContainText(/Done: \d+ done, 0 failed; p50/)
    await expect(details).toContainText('Open tasks/judge.py')
    await page.getByTestId('task-logs').click()
    await expect(page.getByLabel('Source', { exact: true })).toHaveValue('judge')
    await expect(page.getByTestId('run-logs')).toContainText('frost at station')
    await page.getByTestId('choose-summary').click()
    await page.getByTestId('task-outputs').click()
    await look(page, 'run-task-details')
    await page.getByRole('button', { name: 'Close the details of summary' }).click()
    await expect(details).toHaveCount(0)
  })

  const code = [
    'def see(reading):',
    "    raise ValueError('too dark to judge')",
    '',
    'def run(inputs, args, context):',
    "    return see(inputs['reading'])",
  ]
  const written = await page.request.put(
    `${service.url}api/projects/${project}/file?path=${encodeURIComponent('tasks/judge.py')}`,
    { data: { text: code.join('\n') } },
  )
  expect(written.ok(), await written.text()).toBe(true)
  await page.reload()
  await page.getByTestId('redeploy-and-run').click()
  await expect(page.getByTestId('run-state')).toContainText('failed', { timeout: 120_000 })
  const failures = page.getByTestId('run-failures')
  await expect(failures).toContainText('File "tasks/judge.py", line 2, in see')
  const panel = page.getByRole('region', { name: 'Run', exact: true })
  // Once as the message, once in the line of code.
  expect((await panel.innerText()).match(/too dark to judge/g)).toHaveLength(2)
  await look(page, 'run-failed')
  const open = page.getByTestId('open-code-judge')
  await expect(open).toHaveText(/Open tasks\/judge\.py:2/)
  await open.click()
  const editor = page.getByTestId('code-editor')
  await expect(editor).toContainText('too dark to judge')
  await expect(editor.locator('.cm-activeLine')).toContainText('raise ValueError')
  await expect(page).toHaveURL(new RegExp(`/projects/${project}$`))
  await look(page, 'code-at-line')
})
