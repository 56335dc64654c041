import { expectAccessible } from './look.ts'
import { expect, test } from './service.ts'

/** A sensor and seven tasks one after the other, each of which may run anywhere: 128 candidates. */
const tasks = ['look', 'a', 'b', 'c', 'd', 'e', 'f', 'g']
const text = `TaskGraph(list=[${tasks.map((task) => `'${task}'`).join(', ')}])\n${tasks
  .map((task, at) => {
    const [parent, child] = [tasks[at - 1], tasks[at + 1]]
    return `Task(${task}, ${parent ? `${parent}Out` : 'None'}, ${task}Out, 'tasks/${task}.py', parentTask=${
      parent ? `['${parent}']` : 'None'
    }, childTask=[${child ? `'${child}'` : ''}])\n`
  })
  .join('')}`

test('the front so far while exploring; cancelling keeps it', async ({ page, service }) => {
  const api = `${service.url}api`
  const made = await page.request.post(`${api}/projects`, { data: { name: 'Cancelled', text } })
  expect(made.ok(), await made.text()).toBe(true)
  const project = (await made.json()) as { id: string; headVersion: number }
  await page.goto(`${service.url}projects/${project.id}/explore`)
  await expect(page.getByText('No exploration yet')).toBeVisible()
  await page.request.post(`${api}/projects/${project.id}/explorations`, {
    data: { version: project.headVersion },
  })
  await expect(page.getByText(/Front so far: \d+ of 128 candidates simulated/)).toBeVisible()
  await expect(page.getByTestId('scatter-so-far').locator('.plot-point')).not.toHaveCount(0)
  await page.getByTestId('explore-cancel').click()
  await expect(page.getByTestId('explore-cancelled')).toHaveText(
    /^This exploration was cancelled after \d+ of 128 candidates/,
  )
  await expect(page.getByTestId('front-so-far')).toHaveCount(0)
  expect(await page.locator('[data-testid^="candidate-row-"]').count()).toBeGreaterThan(0)
  await expectAccessible(page, 'explore, cancelled')
})
