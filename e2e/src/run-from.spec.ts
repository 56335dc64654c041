import type { Page } from '@playwright/test'
import { look } from './look.ts'
import { expect, type Service, test } from './service.ts'

const broken = "def run(inputs, args, context):\n    raise ValueError('too dark to judge')\n"

async function call(
  page: Page,
  service: Service,
  method: 'get' | 'post' | 'put',
  path: string,
  data?: object,
) {
  const answer = await page.request[method](`${service.url}api/${path}`, data && { data })
  expect(answer.ok(), await answer.text()).toBe(true)
  return answer.status() === 204 ? undefined : answer.json()
}

test('an item that failed is run again from its task once the code is mended, and then all of them', async ({
  page,
  service,
}) => {
  const { id } = await call(page, service, 'post', 'projects', { name: 'Hello', example: 'hello-swarm' })
  const file = `projects/${id}/file?path=${encodeURIComponent('tasks/judge.py')}`
  const code = await (await page.request.get(`${service.url}api/${file}`)).text()
  await call(page, service, 'put', file, { text: broken })
  const { text, layout } = await call(page, service, 'get', `projects/${id}/versions/1`)
  await call(page, service, 'post', `projects/${id}/versions`, {
    base: 1,
    text: `${text}\nPersist(readSensor)\n`,
    layout,
    message: '',
  })
  await call(page, service, 'post', `projects/${id}/deployments`, {
    version: 2,
    placement: { readSensor: 'edge', judge: 'cloud', summary: 'cloud' },
    agents: 2,
  })
  await page.goto(`${service.url}projects/${id}/run`)
  await page.getByLabel('Readings per device').fill('4')
  await page.getByTestId('run-start').click({ timeout: 60_000 })
  await expect(page.getByTestId('run-state')).toContainText('failed', { timeout: 60_000 })
  await expect(page.getByTestId('run-again-judge')).toHaveText('Run this item again')
  await look(page, 'run-again')

  await test.step('the code is mended: the newest version is deployed first', async () => {
    await call(page, service, 'put', file, { text: code })
    await page.reload()
    await expect(page.getByTestId('run-again-judge')).toHaveText('Redeploy and run this item again')
    await page.getByTestId('run-again-judge').click()
    await expect(page.getByTestId('run-origin')).toContainText('from judge on, with item', {
      timeout: 60_000,
    })
    await expect(page.getByTestId('run-state')).toContainText('succeeded', { timeout: 60_000 })
  })

  await test.step('from the task on the graph, all recorded items', async () => {
    await page.getByRole('link', { name: 'an earlier run' }).click()
    await expect(page.getByTestId('run-state')).toContainText('failed')
    await page.getByTestId('choose-judge').press('Enter')
    await page.getByTestId('run-from').click()
    await expect(page.getByTestId('run-origin')).toContainText('with the items of', { timeout: 60_000 })
    await expect(page.getByTestId('run-state')).toContainText('succeeded', { timeout: 60_000 })
    await page.getByTestId('choose-judge').press('Enter')
    await expect(page.getByTestId('task-details')).toContainText(/Done: [1-9]\d* done, 0 failed/)
  })

  await test.step('what was not kept is said, with what to do', async () => {
    await page.getByTestId('choose-judge').press('Enter')
    await page.getByTestId('choose-summary').press('Enter')
    await page.getByTestId('run-from').click()
    await expect(page.getByRole('alert')).toContainText(
      "has not kept what 'judge' gave: put it under Persist",
    )
    await look(page, 'run-from-refused')
  })
})
