import type { Page, Request } from '@playwright/test'
import { expect, test } from './service.ts'

const MAX_FIRST_SCREEN_KB = 300

/** kB of scripts and styles that the page gets over the network while something is done, as they are sent. */
async function sentDuring(page: Page, act: () => Promise<void>): Promise<number> {
  const requests: Request[] = []
  const onFinished = (request: Request): void => {
    if (['script', 'stylesheet'].includes(request.resourceType())) requests.push(request)
  }
  page.on('requestfinished', onFinished)
  await act()
  await page.waitForLoadState('networkidle')
  page.off('requestfinished', onFinished)
  const sizes = await Promise.all(requests.map((request) => request.sizes()))
  return sizes.reduce((sum, { responseBodySize }) => sum + responseBodySize, 0) / 1000
}

test('the first screen takes less than 300 kB of scripts and styles; a workflow says what it takes', async ({
  page,
  service,
}) => {
  const first = await sentDuring(page, async () => {
    await page.goto(service.url)
    await expect(page.getByTestId('open-example-hello-swarm')).toBeVisible()
  })
  const workflow = await sentDuring(page, async () => {
    await page.getByTestId('open-example-hello-swarm').click()
    await expect(page.getByTestId('dsl-editor')).toContainText('readSensor')
  })
  console.log(
    `Scripts and styles: first screen ${first.toFixed(0)} kB, a workflow ${workflow.toFixed(0)} kB more`,
  )
  expect(first).toBeGreaterThan(10)
  expect(first).toBeLessThan(MAX_FIRST_SCREEN_KB)
})
