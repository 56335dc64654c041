import { explored, openExplore } from './explorations.ts'
import { expectAccessible } from './look.ts'
import { expect, test } from './service.ts'

test('brushing, comparing and explaining candidates, by mouse and by key', async ({ page, service }) => {
  const { project } = await explored(page, service, 'people-recognition')
  await openExplore(page, service, project)
  const rows = page.locator('[data-testid^="candidate-row-"]')
  const all = await rows.count()
  expect(all).toBeGreaterThan(2)

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
    await expect(curves.getByRole('listitem').first()).toContainText('from 1')
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
    await page.getByRole('button', { name: 'All figures at once as CSV' }).click()
    expect((await download).suggestedFilename()).toMatch(
      /^people-recognition-v-1-.*parallel-coordinates\.csv$/,
    )
  })
  await expectAccessible(page, 'explore')
})
