/** The Targets screen: clusters that workflows are deployed to by name. */
import { execFileSync } from 'node:child_process'
import { FakeCluster } from '../../libs/deploy/test/fake-cluster.ts'
import { look } from './look.ts'
import { expect, test } from './service.ts'

test('a cluster is added, with what it lacks said first; changed, and removed', async ({ page, service }) => {
  const cluster = await FakeCluster.start({ groups: ['apps'] })
  try {
    await page.goto(service.url)
    await page.getByTestId('targets-link').click()
    await expect(page.getByText('No target yet')).toBeVisible()
    await expect(page.getByText('Tasks in the cloud run on this machine.')).toBeVisible()
    await look(page, 'targets-empty')
    await page.getByTestId('add-target').click()
    const form = page.getByTestId('target-form')
    await form.getByLabel('Name', { exact: true }).fill('Staging')
    await expect(form.getByText('Use small letters')).toBeVisible()
    await form.getByLabel('Name', { exact: true }).fill('staging')
    await form.getByLabel('Kubeconfig', { exact: true }).fill('hello')
    await page.getByTestId('target-check').click()
    await expect(page.getByRole('alert')).toContainText('This is no kubeconfig')
    // As a person who has the file would: by the file.
    const buffer = Buffer.from(cluster.kubeconfig())
    await form
      .getByLabel('File of the kubeconfig')
      .setInputFiles({ name: 'config', mimeType: 'text/yaml', buffer })
    await form.getByLabel('Ingress').fill(cluster.url)
    await form.getByLabel('Image for Node.js').fill('registry.example/node:1')
    await form.getByLabel('Image for Python').fill('registry.example/python:1')
    await page.getByTestId('target-check').click()
    await expect(page.getByTestId('check-result')).toContainText('one thing is missing')
    await expect(page.getByTestId('check-result')).toContainText('It has no Knative Serving: install it')
    await form.getByLabel('Context').selectOption('other')
    await expect(form.getByLabel('Context')).toHaveValue('other')
    await look(page, 'target-add')
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    await expect(page.getByRole('alert')).toContainText('It has no Knative Serving')
    cluster.answers.groups.push('serving.knative.dev')
    await page.getByRole('button', { name: 'Add', exact: true }).click()

    const row = page.getByTestId('target-staging')
    await expect(row).toContainText('context other, namespace default')
    await expect(row).toContainText('Functions can be deployed there.')
    cluster.answers.may = (resource) => resource !== 'secrets'
    await row.getByRole('button', { name: 'Check' }).click()
    await expect(row).toContainText('The account may not get, list, create, patch, delete secrets')
    await look(page, 'targets')
    cluster.answers.may = () => true
    await row.getByRole('button', { name: 'Change staging' }).click()
    await form.getByLabel('Namespace').fill('field')
    await page.getByRole('button', { name: 'Save' }).click()
    await expect(row).toContainText('namespace field')

    // With a choice of targets, it is made where one deploys.
    const api = `${service.url}api`
    const data = { name: 'Hello', example: 'hello-swarm' }
    const { id } = (await (await page.request.post(`${api}/projects`, { data })).json()) as { id: string }
    await page.goto(`${service.url}projects/${id}/explore`)
    await page.getByTestId('explore-start').click()
    await expect(page.getByTestId('deploy-target')).toBeVisible({ timeout: 120_000 })
    await page.getByTestId('deploy-target').selectOption('staging')
    // What would be made there, and what it needs, is said before anything is.
    const plan = page.getByTestId('planned-changes')
    await expect(plan).toContainText(/functions? starts?/, { timeout: 30_000 })
    await plan.locator('summary').first().focus()
    await look(page, 'deploy-to-target')
    await page.keyboard.press('Enter')
    await expect(page.getByTestId('planned-needs')).toContainText('It has Knative Serving with the API v1')
    await look(page, 'deploy-needs')
    const created = plan.getByTestId('object-Service-create').first()
    await created.locator('summary').focus()
    await page.keyboard.press('Enter')
    await expect(created).toContainText('+apiVersion: serving.knative.dev/v1')
    await expect(created).toContainText('image: registry.example/')
    await plan.getByTestId('object-Secret-create').first().locator('summary').click()
    await expect(plan.getByTestId('object-Secret-create').first()).toContainText('(hidden, ')
    await look(page, 'deploy-plan')

    await page.getByTestId('targets-link').click()
    await row.getByRole('button', { name: 'Remove staging' }).click()
    await page.getByRole('button', { name: 'Remove', exact: true }).click()
    await expect(page.getByText('No target yet')).toBeVisible()
  } finally {
    await cluster.close()
  }
})

test('a version is promoted to a real cluster that was added in the browser, and undeployed @cluster', async ({
  page,
  service,
}) => {
  test.setTimeout(600_000)
  const kubectl = (...args: string[]) => execFileSync('kubectl', args, { encoding: 'utf8' })
  const namespace = `staging-${Math.random().toString(36).slice(2, 8)}`
  kubectl('create', 'namespace', namespace)
  try {
    // The account that the docs tell to make, and nothing more.
    kubectl('apply', '-n', namespace, '-f', 'infra/knative/account.yaml')
    let token = ''
    await expect(async () => {
      const secret = ['get', 'secret', 'hivemind-token', '-n', namespace, '-o', 'jsonpath={.data.token}']
      token = Buffer.from(kubectl(...secret), 'base64').toString()
      expect(token).not.toBe('')
    }).toPass({ timeout: 30_000 })
    const config = JSON.parse(kubectl('config', 'view', '--raw', '--minify', '--flatten', '-o', 'json')) as {
      users: { user: object }[]
      contexts: { context: { namespace?: string } }[]
    }
    for (const user of config.users) user.user = { token }
    for (const { context } of config.contexts) context.namespace = namespace

    await page.goto(`${service.url}targets`)
    await page.getByTestId('add-target').click()
    const form = page.getByTestId('target-form')
    await form.getByLabel('Name', { exact: true }).fill('staging')
    await form.getByLabel('Kubeconfig', { exact: true }).fill(JSON.stringify(config))
    await form.getByLabel('Ingress').fill(process.env.HIVEMIND_INGRESS ?? '')
    await page.getByTestId('target-check').click()
    await expect(page.getByTestId('check-result')).toContainText('Functions can be deployed there.', {
      timeout: 60_000,
    })
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    await expect(page.getByTestId('target-staging')).toContainText(`namespace ${namespace}`)

    const api = `${service.url}api`
    const created = await page.request.post(`${api}/projects`, {
      data: { name: 'Hello', example: 'hello-swarm' },
    })
    const project = (await created.json()) as { id: string }
    await page.request.post(`${api}/projects/${project.id}/deployments`, {
      data: { version: 1, placement: { readSensor: 'edge', judge: 'cloud', summary: 'cloud' } },
    })
    await page.goto(`${service.url}projects/${project.id}/run`)
    await expect(page.getByTestId('run-start')).toBeEnabled({ timeout: 120_000 })
    await page.getByTestId('deploy-target').selectOption('staging')
    await page.getByRole('button', { name: 'Promote to staging' }).click()
    await expect(page.getByText('cloud on staging')).toBeVisible()
    await expect(page.getByTestId('run-start')).toBeEnabled({ timeout: 180_000 })
    expect(kubectl('get', 'ksvc', '-n', namespace, '-o', 'name').trim().split('\n')).toHaveLength(2)
    await page.getByTestId('run-start').click()
    await expect(page.getByTestId('run-state')).toContainText('succeeded', { timeout: 180_000 })
    await look(page, 'run-on-target')
    await page.getByTestId('undeploy').click()
    await expect(page.getByText('Undeployed.')).toBeVisible({ timeout: 60_000 })
    const own = ['-l', 'app.kubernetes.io/managed-by=hivemind', '-o', 'name']
    expect(kubectl('get', 'ksvc,configmaps,secrets', '-n', namespace, ...own)).toBe('')
  } finally {
    kubectl('delete', 'namespace', namespace, '--wait=false')
  }
})
