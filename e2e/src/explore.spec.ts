import { centre } from './canvas.ts'
import { explored, openExplore } from './explorations.ts'
import { expectAccessible, look } from './look.ts'
import { expect, test } from './service.ts'

test('brushing, comparing and explaining candidates, by mouse and by key', async ({ page, service }) => {
  const { project } = await explored(page, service, 'people-recognition')
  await openExplore(page, service, project)
  const rows = page.locator('[data-testid^="candidate-row-"]')
  const all = await rows.count()
  expect(all).toBeGreaterThan(2)

  await test.step('a verdict comes first, in words; the candidate it names is the selected one', async () => {
    await expect(page.getByTestId('verdict')).toContainText(
      /^faceRecognition in the cloud: .*(faster|less).* than all on the devices; costs \$.* an hour/,
    )
    await expect(page.getByTestId('candidate-name')).toHaveText('faceRecognition in the cloud')
    await page.getByTestId('pick-energy').click()
    await rows.getByRole('button', { name: 'all on the devices' }).click()
    await expect(page.getByTestId('candidate-name')).toHaveText('All on the devices')
    await page.getByTestId('verdict-select').click()
    await expect(page.getByTestId('candidate-name')).toHaveText('faceRecognition in the cloud')
  })

  await test.step('a range on an axis of the parallel plot reaches table and scatter', async () => {
    const end = page.getByTestId('axis-energy-to')
    await end.focus()
    await page.keyboard.press('ArrowDown')
    await expect(rows).toHaveCount(all - 1)
    await expect(page.getByTestId('scatter').locator('.plot-point[opacity]')).not.toHaveCount(0)
    await page.getByTestId('clear-ranges').click()
    await expect(rows).toHaveCount(all)
    const axis = await page.getByTestId('axis-p99').boundingBox()
    if (!axis) throw new Error('There is no axis.')
    await page.mouse.move(axis.x + axis.width / 2, axis.y + axis.height - 1)
    await page.mouse.down()
    await page.mouse.move(axis.x + axis.width / 2, axis.y + axis.height * 0.8, { steps: 5 })
    await page.mouse.up()
    await expect(page.getByTestId('clear-ranges')).toBeVisible()
    expect(await rows.count()).toBeLessThan(all)
    await page.getByTestId('clear-ranges').click()
  })

  await test.step('the front over the number of devices', async () => {
    const curves = page.getByTestId('device-curves')
    await expect(curves.getByRole('img')).toHaveCount(3)
    await expect(curves.getByRole('listitem').first()).toContainText('from 1 device')
  })

  await test.step('two candidates side by side', async () => {
    const compare = page.getByTestId('compare')
    const [first, last] = [
      await rows.first().getAttribute('data-row'),
      await rows.last().getAttribute('data-row'),
    ]
    await compare.getByTestId('compare-A').selectOption(first)
    await compare.getByTestId('compare-B').selectOption(last)
    await expect(compare.getByTestId('compare-moved').getByRole('listitem')).not.toHaveCount(0)
    await expect(compare.locator('.react-flow')).toHaveCount(2)
    await expect(compare.getByTestId('distributions').getByRole('img', { name: /99% within/ })).toBeVisible()
    await expect(page.getByTestId(`candidate-row-${first}`)).toHaveAttribute('aria-selected', 'true')
  })

  await test.step('why a candidate stands where it stands', async () => {
    await expect(page.getByTestId('why').getByRole('listitem')).not.toHaveCount(0)
    for (const objective of ['latency', 'energy', 'bandwidth', 'cost']) {
      await page.getByTestId('tornado-objective').selectOption(objective)
      await expect(page.getByTestId('tornado')).toContainText(/\S/)
    }
  })

  await test.step('the numbers of a plot as a file', async () => {
    const download = page.waitForEvent('download')
    await page.getByTestId('export').click()
    await page.getByRole('menuitem', { name: 'All metrics as CSV' }).click()
    expect((await download).suggestedFilename()).toMatch(
      /^people-recognition-v-1-.*parallel-coordinates\.csv$/,
    )
  })
  await expectAccessible(page, 'explore')
})

test('a placement is tried on the canvas: pointed at, and flipped task by task', async ({
  page,
  service,
}) => {
  const { project } = await explored(page, service, 'people-recognition')
  await openExplore(page, service, project)
  const canvas = page.getByTestId('placement-canvas')
  const flip = page.getByTestId('flip-faceRecognition')
  await expect(flip).toContainText('Cloud')
  // The pictures go to the cloud: that edge carries bytes, and is the thickest.
  await expect(canvas.locator('.react-flow__edge-text').first()).toContainText('B')

  await test.step('a dot that is pointed at recolours the canvas', async () => {
    const rows = page.locator('[data-testid^="candidate-row-"]')
    const id = await rows.filter({ hasText: 'all on the devices' }).getAttribute('data-row')
    const dot = await centre(page.getByTestId('scatter').getByTestId(`point-${id}`))
    await page.mouse.move(dot.x, dot.y)
    await expect(flip).toContainText('Edge')
    await expect(page.getByTestId('trial-changes')).toContainText('Latency p99')
    await page.mouse.move(5, 5)
    await expect(flip).toContainText('Cloud')
    await expect(page.getByTestId('candidate-name')).toHaveText('faceRecognition in the cloud')
  })

  await test.step('a press on a tier flips it, and says what that changes', async () => {
    await flip.click()
    await expect(flip).toContainText('Edge')
    await expect(page.getByTestId('trial-changes')).toContainText(/Latency p99.*×\d+/)
    await expectAccessible(page, 'a tried placement')
    await page.getByTestId('trial-reset').click()
    await expect(page.getByTestId('trial-changes')).toHaveCount(0)
    await expect(flip).toContainText('Cloud')
  })

  await test.step('what was tried can be selected', async () => {
    await flip.click()
    await page.getByTestId('trial-select').click()
    await expect(page.getByTestId('candidate-name')).toHaveText('All on the devices')
  })
  await look(page, 'trial')

  await test.step('the zoom buttons cover no task', async () => {
    for (const [width, height] of [
      [1024, 768],
      [1440, 900],
    ] as const) {
      await page.setViewportSize({ width, height })
      await page.waitForTimeout(300)
      const buttons = await canvas.locator('.react-flow__controls').boundingBox()
      if (!buttons) throw new Error('There are no zoom buttons.')
      for (const task of await canvas.locator('.react-flow__node').all()) {
        const box = await task.boundingBox()
        const apart =
          box &&
          (box.x >= buttons.x + buttons.width ||
            box.x + box.width <= buttons.x ||
            box.y >= buttons.y + buttons.height ||
            box.y + box.height <= buttons.y)
        expect(apart, `${width}: ${await task.textContent()}`).toBe(true)
      }
    }
  })
})

test('the report of an exploration stands alone, and prints', async ({ page, service, context }, info) => {
  const { project } = await explored(page, service, 'people-recognition', { seed: 7 })
  await openExplore(page, service, project)
  const waiting = page.waitForEvent('download')
  await page.getByTestId('export').click()
  await page.getByTestId('exploration-report').click()
  const download = await waiting
  expect(download.suggestedFilename()).toBe('people-recognition-v-1-paper-drones-seed-7-report.html')
  // A file without its ending is shown as a text.
  const file = info.outputPath('report.html')
  await download.saveAs(file)

  const report = await context.newPage()
  await context.setOffline(true)
  const asked: string[] = []
  report.on('request', (request) => asked.push(request.url()))
  await report.goto(`file://${file}`)
  expect(asked.filter((url) => !url.startsWith('file:'))).toEqual([])
  await expect(report.getByRole('heading', { level: 1 })).toHaveText('Placements of people-recognition')
  expect(await report.getByRole('img').count()).toBeGreaterThanOrEqual(6)
  for (const text of ['Random seed', 'paper-drones', 'HiveMind', 'SHA-256', 'TaskGraph(', 'faceRecognition'])
    await expect(report.locator('main')).toContainText(text)
  const data = JSON.parse((await report.locator('#data').textContent()) ?? '')
  expect(data.exploration.inputs.seed).toBe(7)
  expect(Object.keys(data.plots)).toContain('best-latency-over-devices')
  await expectAccessible(report, 'report')
  expect((await report.pdf({ format: 'A4' })).length).toBeGreaterThan(20_000)
  await context.setOffline(false)
  await report.close()

  await page.evaluate(() => {
    Object.assign(window, { printed: 0 })
    new MutationObserver(() => {
      const frame = document.querySelector<HTMLIFrameElement>('iframe[title="Report to print"]')
      if (frame?.contentWindow)
        frame.addEventListener('load', () => Object.assign(window, { printed: 1 }), { once: true })
    }).observe(document.body, { childList: true })
  })
  await page.getByTestId('export').click()
  await page.getByTestId('exploration-print').click()
  await expect.poll(() => page.evaluate(() => (window as unknown as { printed: number }).printed)).toBe(1)
  await expect(page.getByTestId('what-if')).toBeVisible()
})
