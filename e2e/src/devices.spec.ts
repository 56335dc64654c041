import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { look } from './look.ts'
import { expect, test } from './service.ts'

const agentProgram = fileURLToPath(
  new URL('../../apps/edge-agent/bin/hivemind-edge-agent.mjs', import.meta.url),
)

test('a device of another machine is enrolled in the browser, dials in, runs a workflow, and is removed', async ({
  page,
  service,
}) => {
  test.setTimeout(300_000)
  await page.goto(`${service.url}devices`)
  await expect(page.getByText('No device yet')).toBeVisible()
  await page.getByTestId('enrol-device').click()
  const form = page.getByTestId('enrol')
  await form.getByLabel('Device', { exact: true }).fill('drone.7')
  await expect(form.getByText("Use letters, digits, '_' and '-'")).toBeVisible()
  await form.getByLabel('Device', { exact: true }).fill('drone-7')
  await expect(form.getByTestId('only-here')).toContainText('HIVEMIND_DEVICES_HOST')
  await look(page, 'enrol')
  await page.keyboard.press('Enter')
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download drone-7.json' }).click()
  const credential = test.info().outputPath('drone-7.json')
  await (await download).saveAs(credential)
  const archive = page.waitForEvent('download')
  await page.getByRole('link', { name: 'the agent' }).click()
  expect((await archive).suggestedFilename()).toBe('hivemind-agent.tar.gz')
  await look(page, 'credential')
  await page.getByRole('button', { name: 'Done' }).click()
  const row = page.getByRole('row', { name: /drone-7/ })
  await expect(row).toContainText('enrolled')

  // As a person would on the device.
  const agent = spawn(process.execPath, [
    agentProgram,
    '--config',
    credential,
    '--dir',
    `${credential}.agent`,
  ])
  const ended = once(agent, 'exit')
  try {
    await expect(row).toContainText('online', { timeout: 60_000 })
    await look(page, 'devices-enrolled')
    const api = `${service.url}api`
    const created = await page.request.post(`${api}/projects`, {
      data: { name: 'Hello', example: 'hello-swarm' },
    })
    const project = (await created.json()) as { id: string }
    await page.request.post(`${api}/projects/${project.id}/deployments`, {
      data: { version: 1, placement: { readSensor: 'edge', judge: 'cloud', summary: 'cloud' }, agents: 1 },
    })
    await page.goto(`${service.url}projects/${project.id}/run`)
    await expect(page.getByTestId('run-start')).toBeEnabled({ timeout: 90_000 })
    await page.getByTestId('enrolled-devices').getByLabel('drone-7').check()
    await expect(page.getByTestId('planned-changes')).toContainText('1 agent starts, 1 ends')
    await page.getByTestId('deploy-again').click()
    await expect(page.getByText('version 1, drone-7')).toBeVisible({ timeout: 90_000 })
    await expect(page.getByTestId('run-start')).toBeEnabled({ timeout: 90_000 })
    await page.getByTestId('run-start').click()
    await expect(page.getByTestId('run-state')).toContainText('succeeded', { timeout: 90_000 })

    // The same device as an edge node: it serves an agent of this machine.
    await page.request.post(`${api}/projects/${project.id}/deployments`, {
      data: {
        version: 1,
        placement: { readSensor: 'edge', judge: 'edge-node', summary: 'cloud' },
        agents: 1,
      },
    })
    await page.goto(`${service.url}projects/${project.id}/run`)
    await expect(page.getByText('1 edge agent, 1 edge node')).toBeVisible({ timeout: 90_000 })
    await expect(page.getByTestId('run-start')).toBeEnabled({ timeout: 90_000 })
    await page.getByTestId('edge-machines').getByLabel('drone-7').check()
    await expect(page.getByTestId('deploy-edge-nodes')).toHaveCount(0)
    await look(page, 'run-edge-machine')
    await page.getByTestId('deploy-again').click()
    await expect(page.getByText('1 edge agent, edge nodes drone-7')).toBeVisible({ timeout: 90_000 })
    await expect(page.getByTestId('logs-function-judge@drone-7')).toBeVisible({ timeout: 90_000 })
    await expect(page.getByTestId('run-start')).toBeEnabled({ timeout: 90_000 })
    await page.getByTestId('run-start').click()
    await expect(page.getByTestId('run-state')).toContainText('succeeded', { timeout: 90_000 })

    await page.getByTestId('devices-link').click()
    await page.getByRole('button', { name: 'Remove drone-7' }).click()
    await page.getByRole('button', { name: 'Remove', exact: true }).click()
    await expect(row).toHaveCount(0)
    expect(await ended).toEqual([5, null])

    // What was deployed on it can be deployed again without it.
    await page.goto(`${service.url}projects/${project.id}/run`)
    const removed = page.getByTestId('edge-machines').getByLabel('drone-7 (no longer enrolled)')
    await expect(removed).toBeChecked()
    await expect(page.getByText("'judge@drone-7' does not serve: Edge node 'drone-7' is away.")).toBeVisible()
    await look(page, 'run-edge-machine-removed')
    await removed.click()
    await expect(removed).toHaveCount(0)
    await expect(page.getByTestId('deploy-edge-nodes')).toBeVisible()
    await page.getByTestId('deploy-again').click()
    await expect(page.getByText('1 edge agent, 1 edge node')).toBeVisible({ timeout: 90_000 })
    await expect(page.getByText('Ready to run.')).toBeVisible({ timeout: 90_000 })
  } finally {
    agent.kill('SIGKILL')
  }
})
