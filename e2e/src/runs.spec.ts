import { deployed, deployedAndRun, ran } from './deployed.ts'
import { look } from './look.ts'
import { expect, test } from './service.ts'

test('runs are listed, filtered by the URL, opened by key, and two of them compared', async ({
  page,
  service,
}) => {
  const { project, run: first, placement } = await deployedAndRun(page, service, 'hello-swarm')
  const judge = placement.judge === 'edge' ? 'cloud' : 'edge'
  const second = await ran(page, service, await deployed(page, service, project, { ...placement, judge }))
  await page.goto(`${service.url}projects/${project}/run`)
  await page.getByTestId('tab-runs').click()
  const rows = page.locator('[data-testid^="run-row-"]')
  const row = (run: string) => page.getByTestId(`run-row-${run}`)

  await test.step('newest first, with figures', async () => {
    await expect(rows).toHaveCount(2)
    await expect(rows.first()).toHaveAttribute('data-testid', `run-row-${second}`)
    await expect(row(first).getByRole('cell')).toHaveText([
      '',
      '1',
      'usual',
      'succeeded',
      /^[\d.]+ (ms|s)$/,
      /^\d+$/,
      '0',
      '',
    ])
    await look(page, 'runs')
  })

  await test.step('the filter is in the URL and outlives a reload', async () => {
    await page.getByTestId('runs-state').selectOption('failed')
    await expect(page.getByText('No run matches the filter')).toBeVisible()
    expect(new URL(page.url()).search).toBe('?state=failed')
    await page.reload()
    await expect(page.getByText('No run matches the filter')).toBeVisible()
    await page.getByRole('button', { name: 'Clear the filter' }).click()
    await expect(rows).toHaveCount(2)
    await page.getByLabel('Text').fill(first.slice(0, 12).toUpperCase())
    await expect(rows).toHaveCount(1)
    await expect(row(first)).toBeVisible()
    await page.getByLabel('Text').fill('')
    await page.getByLabel('Version').fill('one')
    await expect(page.getByText('Enter a whole number from 1.')).toBeVisible()
    await page.getByLabel('Version').fill('2')
    await expect(rows).toHaveCount(0)
    await page.getByLabel('Version').fill('1')
    await expect(rows).toHaveCount(2)
  })

  await test.step('a list that cannot be loaded says so, and is tried again', async () => {
    let asked = 0
    await page.route('**/api/projects/*/runs?**', (route) => {
      asked++
      return route.abort()
    })
    await page.reload()
    await expect(page.getByRole('alert')).toBeVisible()
    const before = asked
    await page.getByRole('button', { name: 'Try again' }).click()
    await expect.poll(() => asked).toBeGreaterThan(before)
    await expect(page.getByRole('alert')).toBeVisible()
    await page.unroute('**/api/projects/*/runs?**')
    // The list may have come back by itself: it is loaded again when a run changes.
    await page
      .getByRole('button', { name: 'Try again' })
      .click({ timeout: 2_000 })
      .catch(() => {})
    await expect(rows).toHaveCount(2)
  })

  await test.step('arrows move, the space bar selects, Enter opens', async () => {
    await rows.first().getByRole('link').focus()
    await page.keyboard.press('Space')
    await expect(rows.first().getByRole('checkbox')).toBeChecked()
    await expect(page.getByTestId('compare-runs')).toBeDisabled()
    await page.keyboard.press('ArrowDown')
    await expect(row(first).getByRole('link')).toBeFocused()
    await page.keyboard.press('Enter')
    await expect(page.getByTestId('run-state')).toHaveText('succeeded')
    expect(new URL(page.url()).searchParams.get('run')).toBe(first)
    await page.goBack()
  })

  await test.step('two are compared: a sentence, what each was, and every task', async () => {
    await row(second).getByRole('checkbox').check()
    await row(first).getByRole('checkbox').check()
    await page.getByTestId('compare-runs').click()
    const sentences = page.getByTestId('comparison-sentences').locator('p')
    await expect(sentences.first()).toHaveText(
      /^(The second run is \d+% (slower|faster) end to end \(.+ an item instead of .+\); |Within the noise: )/,
    )
    const name = (tier: string | undefined) => (tier === 'edge' ? 'Edge' : 'Cloud')
    await expect(sentences.nth(1)).toHaveText(
      `Moved to another tier: judge from ${name(placement.judge)} to ${name(judge)}.`,
    )
    const links = page.getByTestId('compared-runs').getByRole('link')
    await expect(links.first()).toHaveAttribute('href', new RegExp(first))
    await expect(links.last()).toHaveAttribute('href', new RegExp(second))
    await expect(page.getByTestId('compared-judge')).toContainText(/Edge|Cloud/)
    await expect(page.getByTestId('compared-judge').getByRole('cell')).toHaveCount(13)
    await look(page, 'runs-compared')
  })

  await test.step('one run alone is not compared', async () => {
    await page.goto(`${service.url}projects/${project}/runs/compare?runs=${first}`)
    await expect(page.getByText('Two runs are needed')).toBeVisible()
    await page.getByRole('link', { name: 'All runs' }).click()
    await expect(rows).toHaveCount(2)
  })

  await test.step('a project without runs says how to get one', async () => {
    const data = { name: 'idle', example: 'hello-swarm' }
    const made = await page.request.post(`${service.url}api/projects`, { data })
    const { id } = (await made.json()) as { id: string }
    await page.goto(`${service.url}projects/${id}/runs`)
    await expect(page.getByText('No run yet')).toBeVisible()
    await page.getByRole('link', { name: 'Run screen' }).click()
    await expect(page).toHaveURL(new RegExp(`/projects/${id}/run$`))
  })
})
