/** Fleets of a project: copied, changed, explored on, exported, imported, and two browsers that change the same one. */
import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import { expectAccessible, look, picture } from './look.ts'
import { expect, type Service, test } from './service.ts'

async function newProject(page: Page, service: Service): Promise<string> {
  const made = await page.request.post(`${service.url}api/projects`, {
    data: { name: 'Faces', example: 'hello-swarm' },
  })
  return ((await made.json()) as { id: string }).id
}

/** Copies a fleet that ships with HiveMind under a name, and waits for its form. */
async function copy(page: Page, from: string, name: string): Promise<void> {
  await page.getByTestId(`fleet-${from}`).click()
  await page.getByRole('button', { name: 'Copy', exact: true }).click()
  await page.getByLabel('Name', { exact: true }).fill(name)
  await page.getByRole('dialog').getByRole('button', { name: 'Copy' }).click()
  await expect(page.getByTestId('fleet-form')).toBeVisible()
}

interface Job {
  id: string
  job: { state: string }
  result?: {
    candidates: { baseline?: string; pareto: boolean; estimate: { latencyMs: { p99: number } } }[]
    inputs: { fleet: string; fleetUsed: { uplink: { bandwidthMbps: number } } }
  }
}

/** Presses Explore and gives the result that the service has for the newest exploration. */
async function explore(page: Page, service: Service, project: string) {
  const at = `${service.url}api/projects/${project}/explorations`
  const before = ((await (await page.request.get(at)).json()) as Job[]).length
  await page.getByTestId('explore-start').click()
  const skip = page.getByRole('button', { name: 'Skip' })
  let job: Job | undefined
  await expect
    .poll(
      async () => {
        if (await skip.isVisible()) await skip.click()
        const jobs = (await (await page.request.get(at)).json()) as Job[]
        if (jobs.length === before) return 'waiting'
        job = (await (await page.request.get(`${service.url}api/explorations/${jobs[0]?.id}`)).json()) as Job
        return job.job.state
      },
      { timeout: 120_000, intervals: [300] },
    )
    .toBe('done')
  if (!job?.result) throw new Error('There is no result.')
  return job.result
}

test('a copied fleet with half of the bandwidth gives another front; it is exported and imported again', async ({
  page,
  service,
}, info) => {
  const project = await newProject(page, service)
  await page.goto(`${service.url}projects/${project}`)
  await page.getByTestId('tab-fleets').click()
  await expect(page.getByText('This fleet ships with HiveMind.')).toBeVisible()
  await expect(page.getByLabel('Bandwidth of each')).toBeDisabled()
  await look(page, 'fleets-shipped')
  await copy(page, 'paper-drones', 'slow-drones')

  // A number that is none is refused at its field, and undone.
  const bandwidth = page.getByLabel('Bandwidth of each')
  await expect(bandwidth).toHaveValue('867')
  await bandwidth.fill('fast')
  await expect(
    page.getByText('It must be a number from 0.001 to 1,000,000 Mbit/s, not "fast".'),
  ).toBeVisible()
  await expect(page.getByRole('button', { name: 'Save', exact: true })).toBeDisabled()
  await expectAccessible(page, 'a fleet with a fault')
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(bandwidth).toHaveValue('867')

  // Unsaved changes outlive the page.
  await bandwidth.fill('0.4')
  await page.getByTestId('tab-explore').click()
  await expect(page.getByTestId('explore-start')).toBeVisible()
  await page.goBack()
  await expect(bandwidth).toHaveValue('0.4')
  await page.reload()
  await expect(page.getByText('Unsaved changes of before are here again.')).toBeVisible()
  await bandwidth.press('Control+s')
  await expect(page.getByText('Unsaved changes', { exact: true })).toHaveCount(0)
  await expect(page.getByTestId('fleet-picture')).toContainText('2 × 0.4 Mbit/s')

  // Explored before and after it is halved.
  await page.getByTestId('explore-fleet').click()
  const whole = await explore(page, service, project)
  await page.getByTestId('tab-fleets').click()
  await page.getByTestId('fleet-slow-drones').click()
  await bandwidth.fill('0.2')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(page.getByText('Unsaved changes', { exact: true })).toHaveCount(0)
  await look(page, 'fleets')
  await page.getByTestId('explore-fleet').click()
  await expect(page.getByTestId('fleet-note')).toContainText("The fleet 'slow-drones' was changed since.")
  const half = await explore(page, service, project)
  expect(half.inputs.fleetUsed.uplink.bandwidthMbps).toBe(0.2)
  expect(whole.inputs.fleetUsed.uplink.bandwidthMbps).toBe(0.4)
  const p99 = ({ candidates }: typeof half) =>
    candidates.find(({ baseline }) => baseline === 'all-cloud')?.estimate.latencyMs.p99 ?? 0
  expect(p99(half)).toBeGreaterThan(p99(whole))
  const front = ({ candidates }: typeof half) =>
    candidates.filter(({ pareto }) => pareto).map(({ estimate }) => estimate.latencyMs.p99)
  expect(front(half)).not.toEqual(front(whole))
  await expect(page.getByTestId('fleet-note')).toHaveCount(0)
  await expect(page.getByTestId('scatter')).toBeVisible()

  // Exported, deleted, and imported again as it was.
  await page.getByTestId('tab-fleets').click()
  await page.getByTestId('fleet-slow-drones').click()
  const saving = page.waitForEvent('download')
  await page.getByTestId('export-fleet').click()
  const file = await saving
  expect(file.suggestedFilename()).toBe('slow-drones.fleet.json')
  const path = info.outputPath('slow-drones.fleet.json')
  await file.saveAs(path)
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await expect(page.getByRole('dialog')).toContainText('2 explorations made on it: each keeps its copy')
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await expect(page.getByText('None yet.')).toBeVisible()
  await page.getByTestId('tab-explore').click()
  await expect(page.getByTestId('fleet-note')).toContainText('is no longer in this project')
  await page.getByTestId('tab-fleets').click()
  // a file that is dropped before the screen is there is nobody's
  await expect(page.getByText('None yet.')).toBeVisible()
  const chooser = page.getByLabel('File of a fleet')
  const broken = JSON.stringify({ ...JSON.parse(await readFile(path, 'utf8')), devices: [] })
  await page.evaluate((text) => {
    const dataTransfer = new DataTransfer()
    dataTransfer.items.add(new File([text], 'odd.json'))
    window.dispatchEvent(new DragEvent('drop', { dataTransfer }))
  }, broken)
  await expect(page.getByRole('alert')).toContainText(
    "The fleet is wrong at 'devices': it must have at least 1 entry, not 0.",
  )
  await chooser.setInputFiles(path)
  await page.getByRole('dialog').getByRole('button', { name: 'Import' }).click()
  await expect(bandwidth).toHaveValue('0.2')
  const imported = await page.request.get(`${service.url}api/projects/${project}/fleets/slow-drones`)
  const { fleet } = (await imported.json()) as { fleet: unknown }
  expect(fleet).toEqual(JSON.parse(await readFile(path, 'utf8')))
})

test('of two browsers that change a fleet the second is told, and keeps or gives up its version', async ({
  page,
  service,
  browser,
}) => {
  const project = await newProject(page, service)
  await page.goto(`${service.url}projects/${project}/fleets`)
  await copy(page, 'local', 'mine')
  const context = await browser.newContext()
  const other = await context.newPage()
  await other.goto(`${service.url}projects/${project}/fleets?fleet=mine`)
  const delay = (of: Page) => of.getByLabel('Delay, one way')
  const save = (of: Page) => of.getByRole('button', { name: 'Save', exact: true })
  const isSaved = (of: Page) => expect(of.getByText('Unsaved changes', { exact: true })).toHaveCount(0)
  const stored = async () => {
    const answer = await page.request.get(`${service.url}api/projects/${project}/fleets/mine`)
    return ((await answer.json()) as { fleet: { uplink: { delayMs: number } } }).fleet.uplink.delayMs
  }
  await delay(other).fill('3')
  await delay(page).fill('7')
  await save(page).click()
  await isSaved(page)
  await save(other).click()
  await expect(other.getByRole('alert')).toContainText('Somebody else has changed or deleted this fleet')
  expect(await stored()).toBe(7)
  await expectAccessible(other, 'a conflict of fleets')
  await other.getByRole('button', { name: 'Load theirs' }).click()
  await expect(delay(other)).toHaveValue('7')
  await isSaved(other)

  await delay(other).fill('9')
  await save(other).click()
  await isSaved(other)
  await delay(page).fill('11')
  await save(page).click()
  await page.getByRole('button', { name: 'Keep mine' }).click()
  await isSaved(page)
  expect(await stored()).toBe(11)
  await context.close()
})

test('a fleet is made, renamed and taken apart by keyboard, also on a narrow screen', async ({
  page,
  service,
}) => {
  const project = await newProject(page, service)
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto(`${service.url}projects/${project}/fleets`)
  await page.getByTestId('new-fleet').focus()
  await page.keyboard.press('Enter')
  await page.keyboard.type('-of-ours')
  await expect(page.getByLabel('Name', { exact: true })).toHaveValue(/of-ours/)
  await page.keyboard.press('Enter')
  await expect(page.getByTestId('fleet-form')).toBeVisible()
  const clipped = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
  expect(clipped).toBeLessThanOrEqual(0)
  await page.getByTestId('add-class').press('Enter')
  await expect(page.getByTestId('class-1')).toContainText('Device 2')
  await page.getByTestId('class-1').getByLabel('Short name').fill('device')
  await expect(page.getByText('It must differ: another class is called "device".')).toBeVisible()
  await page.keyboard.press('Control+z')
  await page.keyboard.press('Control+z')
  await expect(page.getByTestId('class-1')).toHaveCount(0)
  await picture(page, 'fleets-390')
  await expectAccessible(page, 'fleets at 390 px')
})
