import { deployedAndRun } from './deployed.ts'
import { look } from './look.ts'
import { expect, test } from './service.ts'

interface Known {
  origin: string
  profile: { tasks: Record<string, { origin: string }> }
}

test('a measured task stands over its estimate, says why they part, and goes into the profile with one click', async ({
  page,
  service,
}) => {
  const { project } = await deployedAndRun(page, service, 'people-recognition')
  const profile = async (): Promise<Known> =>
    (await (await page.request.get(`${service.url}api/projects/${project}/profile`)).json()) as Known
  await page.goto(`${service.url}projects/${project}/run`)
  await expect(page.getByTestId('run-state')).toContainText('succeeded')
  const table = page.getByTestId('run-spans')
  await expect(table.getByTestId('deviation-faceRecognition')).toHaveText(
    /(As estimated: |(longer|shorter) than estimated, because of the (queue|dispatch|network|service time|data exchange))/,
  )

  await test.step('the same for one invocation, on the trace of its item', async () => {
    await page.getByTestId('output-trace-deduplication').first().click()
    const trace = page.getByTestId('trace')
    await expect(trace.getByTestId('ghost').first()).toBeVisible()
    await expect(trace.getByTestId('trace-deviation')).toHaveText(/estimated/)
    await look(page, 'trace-ghosts')
  })

  expect((await profile()).origin).toBe('example')
  await table.getByTestId('take-deduplication').click()
  await expect(table.getByTestId('taken')).toContainText('now has the measured times of deduplication')
  await expect(table.getByTestId('take-deduplication')).toBeDisabled()
  const taken = await profile()
  expect(taken.origin).toBe('measured')
  expect(taken.profile.tasks.deduplication?.origin).toBe('measured')
  await table.scrollIntoViewIfNeeded()
  await look(page, 'ghost-bars')

  await table.getByTestId('take-all').click()
  await expect(table.getByTestId('take-all')).toBeDisabled()
  await table.getByRole('link', { name: 'Explore with it' }).click()
  await expect(page.getByRole('region', { name: 'Task profile' })).toContainText('measured')
})
