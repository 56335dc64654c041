/** The whole product on a cluster, as its chart installs it; its functions run on the same cluster. */
import { execFileSync } from 'node:child_process'
import { expect, test } from '@playwright/test'
import { mainJourney } from './main-journey.ts'

const run = (program: string, ...args: string[]): string =>
  execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })

test('the main job on the product that the chart installed @cluster', async ({ page }) => {
  test.setTimeout(900_000)
  const namespace = `hivemind-${Math.random().toString(36).slice(2, 8)}`
  const { service, node, python } = JSON.parse(process.env.HIVEMIND_CLUSTER_IMAGES ?? '{}') as Record<
    string,
    string
  >
  const values = [
    `images.service=${service},images.functionNode=${node},images.functionPython=${python}`,
    'knative.ingress=http://kourier.kourier-system.svc.cluster.local',
    'persistence.enabled=false,service.type=NodePort',
  ]
  const where = ['-n', namespace]
  run('kubectl', 'create', 'namespace', namespace)
  try {
    const options = [...where, '--set', values.join(','), '--wait', '--timeout', '5m']
    run('helm', 'install', 'hivemind', 'infra/helm/hivemind', ...options)
    const read = (kind: string, name: string, field: string): string =>
      run('kubectl', 'get', kind, name, ...where, '-o', `jsonpath={${field}}`)
    const machine = run('kubectl', 'get', 'node', '-o', 'jsonpath={.items[0].status.addresses[0].address}')
    const url = `http://${machine}:${read('service', 'hivemind', '.spec.ports[0].nodePort')}/`
    await page.goto(url)
    const password = Buffer.from(read('secret', 'hivemind', '.data.password'), 'base64').toString()
    await page.getByLabel('Password').fill(password)
    await page.keyboard.press('Enter')
    await expect(page.getByTestId('example-card-people-recognition')).toBeVisible()

    await mainJourney(page, url)
    expect(run('kubectl', 'get', 'ksvc', ...where, '-o', 'name')).toContain('service.serving.knative.dev/')
    await page.getByTestId('undeploy').click()
    await expect(page.getByText('Undeployed.')).toBeVisible({ timeout: 60_000 })
    const own = ['-l', 'app.kubernetes.io/managed-by=hivemind', '-o', 'name']
    expect(run('kubectl', 'get', 'ksvc,configmaps,secrets', ...where, ...own)).toBe('')
  } finally {
    run('kubectl', 'delete', 'namespace', namespace, '--wait=false')
  }
})
