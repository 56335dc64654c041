import { deployedAndRun } from './deployed.ts'
import { look } from './look.ts'
import { expect, test } from './service.ts'

test('one cursor drives graph, timeline, log, outputs and devices of a run, both ways, by hand and by itself', async ({
  page,
  service,
}) => {
  const { project, deployment } = await deployedAndRun(page, service, 'hello-swarm')
  await page.goto(`${service.url}projects/${project}/run`)
  await expect(page.getByTestId('run-state')).toContainText('succeeded')
  const time = page.getByTestId('replay-time')
  const summary = page.getByTestId('task-state-summary')
  const log = page.getByTestId('run-logs')
  await expect(summary).toHaveAttribute('data-state', 'done')
  await expect(log).toContainText('readings from 2 devices')

  await test.step('at the start nothing has happened; at the end everything has', async () => {
    await time.focus()
    await page.keyboard.press('Home')
    await expect(page.getByTestId('replay-at')).toHaveText(/^0 ms of /)
    await expect(summary).toHaveAttribute('data-state', 'waiting')
    await expect(log).toContainText('Nothing logged yet')
    await expect(page.getByTestId('headline-value')).toHaveCount(0)
    await expect(page.getByTestId('timeline').locator('[role=option][opacity]')).not.toHaveCount(0)
    await expect(page.getByTestId('timeline').getByTestId('cursor')).toBeVisible()
    await page.keyboard.press('End')
    await expect(summary).toHaveAttribute('data-state', 'done')
    await expect(page.getByTestId('run-state')).toHaveText('succeeded')
    await expect(log).toContainText('readings from 2 devices')
  })

  await test.step('backwards by arrow and by change: the last task is not yet done', async () => {
    for (let n = 0; n < 3; n++) await page.keyboard.press('Shift+ArrowLeft')
    await expect(page.getByTestId('run-state')).toHaveText('running')
    await page.keyboard.press('Home')
    await page.getByTestId('replay-next').click()
    await expect(page.getByTestId('replay-at')).not.toHaveText(/^0 ms of /)
    await page.getByRole('button', { name: 'To the change before' }).click()
    await expect(page.getByTestId('replay-at')).toHaveText(/^0 ms of /)
  })

  await test.step('by changes to the middle: the graph and the devices have done some, not all', async () => {
    await time.focus()
    await page.keyboard.press('Home')
    const judge = page.getByTestId('task-state-judge')
    for (let n = 0; n < 60 && !/· [1-7]/.test((await judge.textContent()) ?? ''); n++)
      await page.getByTestId('replay-next').click()
    await expect(judge).toHaveAttribute('data-state', 'running')
    await expect(summary).toHaveAttribute('data-state', 'waiting')
    const works = await page.locator('[data-testid^="device-work-"]').allTextContents()
    const done = works.reduce((sum, text) => sum + Number(/(\d+) invocation/.exec(text)?.[1] ?? 0), 0)
    expect(done).toBeGreaterThan(0)
    expect(done).toBeLessThan(10)
  })

  await test.step('a press on the axis of the timeline moves the cursor there', async () => {
    const axis = await page.getByTestId('timeline-axis').boundingBox()
    if (!axis) throw new Error('There is no timeline.')
    await page.getByTestId('timeline-axis').click({ position: { x: axis.width / 2, y: 9 } })
    const position = Number(await time.inputValue())
    expect(Math.abs(position - 500)).toBeLessThan(60)
    await page.getByTestId('replay-time').scrollIntoViewIfNeeded()
    await look(page, 'replay')
  })

  await test.step('it plays by the space bar, at several speeds, and stops at the end', async () => {
    await time.focus()
    await page.keyboard.press('Home')
    await page.getByTestId('replay-speed').selectOption('0.1')
    await time.focus()
    await page.keyboard.press(' ')
    await expect(page.getByRole('button', { name: 'Pause' })).toBeVisible()
    await expect(page.getByTestId('replay-at')).not.toHaveText(/^0 ms of /)
    await expect(summary).toHaveAttribute('data-state', 'waiting')
    await page.getByTestId('replay-speed').selectOption('10')
    await expect(summary).toHaveAttribute('data-state', 'done')
    await expect(page.getByRole('button', { name: 'Play the run' })).toBeVisible()
    await page.getByTestId('replay-live').click()
    await expect(page.getByTestId('replay-live')).toBeDisabled()
  })

  await test.step('a live run goes on while its past is looked at', async () => {
    const started = await page.request.post(`${service.url}api/deployments/${deployment}/runs`, {
      data: { itemsPerDevice: 60 },
    })
    const { id } = (await started.json()) as { id: string }
    await page.goto(`${service.url}projects/${project}/run?run=${id}`)
    await expect(page.getByTestId('bar-judge-device-1-5')).toBeAttached()
    await time.focus()
    await page.keyboard.press('Home')
    await expect(page.getByTestId('task-state-judge')).toHaveAttribute('data-state', 'waiting')
    await expect
      .poll(
        async () =>
          ((await (await page.request.get(`${service.url}api/runs/${id}`)).json()) as { state: string })
            .state,
        { timeout: 60_000 },
      )
      .toBe('succeeded')
    await expect(page.getByTestId('task-state-judge')).toHaveAttribute('data-state', 'waiting')
    await page.getByTestId('replay-live').click()
    await expect(page.getByTestId('run-state')).toHaveText('succeeded')
    await expect(page.getByTestId('task-state-judge')).toContainText('80')
  })
})
