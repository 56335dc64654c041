import { look } from './look.ts'
import { expect, test } from './service.ts'

const placement = { readSensor: 'edge', judge: 'cloud', summary: 'cloud' }

test('a version is tried on a share of the calls: one that fails is reverted by itself, one that does as well takes over', async ({
  page,
  service,
}) => {
  test.setTimeout(400_000)
  const api = `${service.url}api`
  const post = async (path: string, data: unknown) => {
    const answer = await page.request.post(`${api}${path}`, { data })
    expect(answer.ok(), await answer.text()).toBe(true)
    return (await answer.json()) as { id: string; text: string; layout: unknown; number: number }
  }
  const { id } = await post('/projects', { name: 'Hello', example: 'hello-swarm' })
  const first = await post(`/projects/${id}/deployments`, { version: 1, placement, agents: 2 })
  const { text, layout } = (await (await page.request.get(`${api}/projects/${id}/versions/1`)).json()) as {
    text: string
    layout: unknown
  }
  const file = `${api}/projects/${id}/file?path=tasks/judge.py`
  const code = await (await page.request.get(file)).text()
  /** Saves other code as the version after `base`. */
  const save = async (base: number, change: (code: string) => string) => {
    expect((await page.request.put(file, { data: { text: change(code) } })).ok()).toBe(true)
    await post(`/projects/${id}/versions`, { base, text, layout, message: 'Other code' })
  }
  await save(1, (old) =>
    old.replace('    reading = inputs', "    raise ValueError('no such model')\n    reading = inputs"),
  )

  await page.goto(`${service.url}projects/${id}/run?deployment=${first.id}`)
  await expect(page.getByTestId('run-start')).toBeEnabled({ timeout: 90_000 })
  const tryVersion = async (number: string) => {
    await page.getByTestId('deploy-version').selectOption(number)
    await page.getByTestId('deploy-canary').check()
    await page.getByTestId('deploy-again').click()
    await expect(page.getByTestId('trial')).toContainText(`Version ${number}. Trying it on 10 %`, {
      timeout: 90_000,
    })
  }
  await tryVersion('2')
  await look(page, 'trial')
  await page.getByTestId('cancel-trial').click()
  await expect(page.getByTestId('trial')).toHaveCount(0)

  await tryVersion('2')
  await page.getByTestId('run-start').click()
  await expect(page.getByTestId('trial')).toContainText(/Reverted: 3 of 3 calls .*no such model/, {
    timeout: 120_000,
  })
  // What was tried cost the run nothing.
  await expect(page.getByTestId('run-state')).toContainText('succeeded', { timeout: 120_000 })
  await look(page, 'trial-reverted')

  await save(2, (old) => `${old}\n# The same.\n`)
  await page.reload()
  await tryVersion('3')
  for (let runs = 0; runs < 8 && (await page.getByTestId('trial').count()) > 0; runs += 1) {
    const ended = page.waitForResponse((answer) => /\/runs\/\w+$/.test(answer.url()), { timeout: 60_000 })
    await page.getByTestId('run-start').click()
    await ended.catch(() => {})
    await expect(page.getByTestId('run-cancel')).toBeDisabled({ timeout: 120_000 })
    await page.waitForTimeout(1_500)
  }
  await expect(page.getByText('Replaced by a newer deployment.')).toBeVisible({ timeout: 60_000 })
})
