import { readFileSync } from 'node:fs'
import { deployedAndRun } from './deployed.ts'
import { look } from './look.ts'
import { expect, test } from './service.ts'

test('one item is followed from sensor to sink, from an output, a bar, a log line and a device', async ({
  page,
  service,
}) => {
  const { project } = await deployedAndRun(page, service, 'hello-swarm')
  await page.goto(`${service.url}projects/${project}/run`)
  await expect(page.getByTestId('run-state')).toContainText('succeeded')
  const trace = page.getByTestId('trace')
  const steps = trace.locator('[role="option"][data-testid^="trace-step-"]')

  await test.step('of the whole run, as a file for OpenTelemetry', async () => {
    await look(page, 'run-downloads')
    const downloading = page.waitForEvent('download')
    await page.getByTestId('trace-download').click()
    const download = await downloading
    expect(download.suggestedFilename()).toMatch(/^run-\w{8}-trace\.json$/)
    const file = JSON.parse(readFileSync(await download.path(), 'utf8')) as { resourceSpans: unknown[] }
    // The service, the dispatcher, a function and two devices.
    expect(file.resourceSpans).toHaveLength(5)
  })

  await test.step('from the output, up to the sensor, behind the barrier by its last input', async () => {
    await page.getByTestId('output-trace-summary').first().click()
    await expect(trace.getByTestId('trace-summary')).toContainText('3 steps in')
    await expect(steps).toHaveCount(3)
    await expect(trace.getByTestId('trace-step-summary')).toContainText('after the last of 8 inputs')
    await expect(trace.getByTestId('trace-link')).toContainText(/device-\d → cloud/)
    await expect(trace.getByTestId('trace-part-queue')).toHaveText(/\d/)
    await expect(trace.getByTestId('trace-part-execution')).toHaveText(/\d/)
    await expect(trace.getByTestId('trace-lines')).toContainText('readings from 2 devices')
    await look(page, 'trace')
  })

  await test.step('by keyboard: another step, zoom, and back', async () => {
    const chart = trace.getByTestId('trace-chart')
    await chart.focus()
    await page.keyboard.press('Home')
    await expect(trace.getByTestId('trace-step')).toContainText('readSensor')
    await expect(trace.getByTestId('trace-step')).toContainText('It reads the inputs of the run')
    await expect(trace.getByRole('button', { name: 'Zoom out of the trace' })).toBeDisabled()
    await page.keyboard.press('+')
    await page.keyboard.press('Shift+ArrowRight')
    await expect(trace.getByRole('button', { name: 'Zoom out of the trace' })).toBeEnabled()
    await page.keyboard.press('0')
    await expect(trace.getByRole('button', { name: 'Zoom out of the trace' })).toBeDisabled()
    await page.keyboard.press('ArrowDown')
    await expect(trace.getByTestId('trace-step')).toContainText('judge')
  })

  await test.step('another task, device and item', async () => {
    await trace.getByTestId('trace-task').selectOption('judge')
    await trace.getByTestId('trace-device').selectOption('device-2')
    await trace.getByTestId('trace-next').click()
    await expect(trace.getByRole('heading')).toHaveText(/Trace of item \d of device-2/)
    await expect(steps).toHaveCount(3)
  })

  await test.step('from a bar of the timeline, filtered, by keyboard', async () => {
    await page.getByTestId('timeline-task').selectOption('judge')
    await page.getByTestId('timeline-device').selectOption('device-1')
    const timeline = page.getByTestId('timeline')
    await expect(timeline.getByRole('option')).toHaveCount(4)
    await timeline.focus()
    await page.keyboard.press('End')
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('Enter')
    await expect(trace.getByRole('heading')).toHaveText('Trace of item 2 of device-1')
    await expect(timeline.getByTestId('bar-judge-device-1-2')).toHaveAttribute('aria-selected', 'true')
  })

  await test.step('from a log line and from a device; from the step to its log lines', async () => {
    await page.getByTestId('log-trace-summary').first().click()
    await expect(trace.getByRole('heading')).toHaveText('Trace of summary, whole swarm')
    await trace.getByTestId('trace-logs').click()
    await expect(page.getByLabel('Source', { exact: true })).toHaveValue('summary')
    await page.getByTestId('device-trace-device-2').click()
    await expect(trace.getByRole('heading')).toHaveText(/Trace of item \d of device-2/)
    await trace.getByRole('button', { name: 'Close the trace' }).click()
    await expect(trace).toHaveCount(0)
  })
})

test('an invocation that waited for its function to start says for how long', async ({ page, service }) => {
  const { project, run } = await deployedAndRun(page, service, 'people-recognition')
  const answer = await page.request.get(`${service.url}api/runs/${run}/spans`)
  const { spans } = (await answer.json()) as {
    spans: { task: string; device: string; seq: number; coldStartMs?: number }[]
  }
  // items of two devices at once are more than a warm process takes
  const cold = spans.find(({ task, coldStartMs }) => task === 'faceRecognition' && coldStartMs !== undefined)
  expect(cold).toBeDefined()
  await page.goto(`${service.url}projects/${project}/run`)
  await page.getByTestId('timeline-task').selectOption('faceRecognition')
  await page.getByTestId('timeline').getByTestId(`bar-faceRecognition-${cold?.device}-${cold?.seq}`).click()
  await expect(page.getByTestId('trace-cold-start')).toHaveText(
    /^Cold start: it waited [\d.]+ m?s until its function had started\.$/,
  )
  await look(page, 'trace-cold-start')
})
