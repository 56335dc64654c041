/** A simulated board in the browser: the Verilated fabric, under traffic. Run by `npm run hdl:test`. */
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { Page } from '@playwright/test'
import { keepBuilds } from '../../libs/fabric/test/kept-build.ts'
import { look } from './look.ts'
import { expect, test } from './service.ts'

/** Compiling the model of a build takes a minute of one core. */
const COMPILE_LIMIT_MS = 400_000
let kept: string
const before = process.env.HIVEMIND_FABRIC_DIR
const ids: Record<string, string> = {}

// Before any service starts: services inherit the environment.
test.beforeAll(async () => {
  test.setTimeout(COMPILE_LIMIT_MS)
  kept = mkdtempSync(path.join(os.tmpdir(), 'hivemind-e2e-boards-'))
  const builds = await keepBuilds(kept)
  for (const [name, { manifest }] of Object.entries(builds)) ids[name] = manifest.id
  process.env.HIVEMIND_FABRIC_DIR = kept
})
test.afterAll(() => {
  if (before === undefined) delete process.env.HIVEMIND_FABRIC_DIR
  else process.env.HIVEMIND_FABRIC_DIR = before
  rmSync(kept, { recursive: true, force: true })
})

const idOf = (name: 'golden' | 'broken' | 'foreign'): string => ids[name] as string
const short = (name: 'golden'): string => idOf(name).slice(0, 8)

/** The values that came out since `since`. */
async function values(page: Page, url: string, since: number): Promise<number[]> {
  const response = await page.request.get(`${url}api/fabric/boards/board-1/traffic`)
  const all = (await response.json()) as { at: number; value: number }[]
  return all.filter(({ at }) => at > since).map(({ value }) => value)
}
/** Largest distance of one value from the next. */
const roughness = (list: number[]): number =>
  Math.max(...list.slice(1).map((value, n) => Math.abs(value - (list[n] as number))))

test('readings go through a board, a soft register changes their averages, loads are refused and rolled back', async ({
  page,
  service,
}) => {
  test.setTimeout(3 * COMPILE_LIMIT_MS)
  await page.goto(service.url)
  await page.getByTestId('fabric-link').click()
  const boards = page.getByTestId('fabric-boards')
  await expect(boards.getByText('No board runs')).toBeVisible()
  await boards.getByLabel('Bitstream').selectOption(idOf('golden'))
  await page.getByTestId('start-board').click()
  const board = page.getByTestId('board-1')
  await expect(board.getByText('runs')).toBeVisible({ timeout: COMPILE_LIMIT_MS })

  // Every reading passes at first.
  await board.getByRole('button', { name: 'Readings and registers' }).click()
  await board.getByLabel('Readings a second').fill('100')
  await board.getByRole('button', { name: 'Send', exact: true }).click()
  await expect.poll(async () => (await values(page, service.url, 0)).length).toBeGreaterThan(100)
  const passed = roughness(await values(page, service.url, 0))

  // An average of 20: fewer values, and smooth ones. A window that the register does not hold is refused before it is sent.
  const registers = page.getByTestId('board-registers')
  await registers.getByLabel('distil.window').fill('99999999999')
  await expect(registers.getByText('It must be a whole number from 0 to')).toBeVisible()
  await expect(registers.getByRole('button', { name: 'Apply' })).toBeDisabled()
  await registers.getByLabel('distil.window').fill('20')
  await registers.getByLabel('distil.enabled').fill('1')
  await registers.getByLabel('distil.op', { exact: true }).fill('2')
  await page.keyboard.press('Enter')
  await expect(registers.getByText('distil.enabled = 1')).toBeVisible()
  const changed = Date.now()
  await expect.poll(async () => (await values(page, service.url, changed)).length).toBeGreaterThan(10)
  const averages = await values(page, service.url, changed)
  expect(roughness(averages)).toBeLessThan(passed / 2)
  await look(page, 'fabric-board')

  // A build for another interface is refused with its reason; what is loaded stays.
  const jobs = page.getByTestId('fabric-jobs')
  await board.getByLabel('Load', { exact: true }).selectOption(idOf('foreign'))
  await board.getByRole('button', { name: 'Load', exact: true }).click()
  await expect(jobs.getByText('00000000-0000-3000-8000-000000000000')).toBeVisible({
    timeout: COMPILE_LIMIT_MS,
  })
  await expect(board.getByText(short('golden')).first()).toBeVisible()

  // One that fails its self-test is rolled back by itself; settings and readings go on.
  await board.getByLabel('Load', { exact: true }).selectOption(idOf('broken'))
  await board.getByRole('button', { name: 'Load', exact: true }).click()
  await expect(jobs.getByText(`Rolled back to ${short('golden')}.`)).toBeVisible({
    timeout: COMPILE_LIMIT_MS,
  })
  const rolledBack = Date.now()
  await expect.poll(async () => (await values(page, service.url, rolledBack)).length).toBeGreaterThan(5)
  expect(roughness(await values(page, service.url, rolledBack))).toBeLessThan(passed / 2)
  await look(page, 'fabric-rolled-back')

  await board.getByRole('button', { name: 'Stop', exact: true }).click()
  await expect(boards.getByText('No board runs')).toBeVisible()
})

test('a task is explored, placed and run on the fabric of a board', async ({ page, service }) => {
  test.setTimeout(3 * COMPILE_LIMIT_MS)
  await page.goto(`${service.url}fabric`)
  const boards = page.getByTestId('fabric-boards')
  await boards.getByLabel('Bitstream').selectOption(idOf('golden'))
  await page.getByTestId('start-board').click()
  const board = page.getByTestId('board-1')
  await expect(board.getByText('with windows for 16 devices')).toBeVisible({ timeout: COMPILE_LIMIT_MS })

  const made = await page.request.post(`${service.url}api/projects`, {
    data: { name: 'field', example: 'sensor-field' },
  })
  const project = (await made.json()) as { id: string }
  await page.goto(`${service.url}projects/${project.id}/explore`)
  await page.getByLabel('Fleet', { exact: true }).selectOption('local')
  await page.getByTestId('explore-start').click()
  await expect(page.getByTestId('scatter')).toBeVisible({ timeout: 90_000 })
  await page.getByRole('row').filter({ hasText: 'fabric' }).first().click()
  await expect(page.getByTestId('candidate-name')).toContainText(/fabric/i)
  await look(page, 'explore-fabric')

  await page.getByTestId('deploy-candidate').click()
  await expect(page.getByTestId('run-start')).toBeEnabled({ timeout: 90_000 })
  await page.getByTestId('run-start').click()
  await expect(page.getByTestId('run-state')).toContainText(/succeeded/i, { timeout: 120_000 })
  await look(page, 'run-fabric')

  // The board is the deployment's: it can be neither stopped nor sent readings of others, until it is undeployed.
  await page.goto(`${service.url}fabric`)
  await expect(board.getByText('A deployed task runs on it.')).toBeVisible()
  await board.getByRole('button', { name: 'Stop', exact: true }).click()
  await expect(board.getByText(/runs on board-1: undeploy it first/)).toBeVisible()
  await look(page, 'fabric-in-use')
})
