import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { explored, openExplore } from './explorations.ts'
import { expect, test } from './service.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** So much that the service and the browser simulate in several threads. */
const request = { seed: 7, devices: 52, itemsPerDevice: 400 }

/** What a program of one's own would do with the libraries, in one thread. */
const program = `
  import { readFile } from 'node:fs/promises'
  import { check } from '@hivemind/dsl'
  import { explore } from '@hivemind/placement'
  import { fleetByName, withDevices } from '@hivemind/swarm'
  const folder = 'examples/people-recognition/'
  const json = async (name) => JSON.parse(await readFile(folder + name, 'utf8'))
  const { workflow } = check(await readFile(folder + 'people-recognition.hive.py', 'utf8'))
  const profile = await json('profile.json')
  const { devices, itemsPerDevice, seed } = ${JSON.stringify(request)}
  const fleet = withDevices(fleetByName('paper-drones'), devices)
  console.log(JSON.stringify(await explore({ workflow, fleet, profile, itemsPerDevice, seed })))
`

const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  )
const hashOf = (value: unknown): string => createHash('sha256').update(canonical(value)).digest('hex')

test('one seed gives the same bytes in Node.js, in the service and in a worker of the browser', async ({
  page,
  service,
}) => {
  const { project, exploration } = await explored(page, service, 'people-recognition', request)
  const byService = hashOf(exploration.result)

  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: root,
    maxBuffer: 64e6,
  })
  const byNode = hashOf(JSON.parse(stdout))

  const threads: string[] = []
  page.on('request', (asked) => {
    if (asked.url().includes('simulation.worker')) threads.push(asked.url())
  })
  await openExplore(page, service, project)
  await page.getByRole('button', { name: 'Inputs of this exploration' }).click()
  await page.getByTestId('recompute-start').click()
  const said = await page.getByTestId('recompute-hash').textContent({ timeout: 60_000 })
  const byBrowser = said?.replace('SHA-256 ', '')
  console.log(`people-recognition, seed 7: Node.js ${byNode}, service ${byService}, Chromium ${byBrowser}`)
  expect(threads.length).toBeGreaterThan(0)
  expect(byService).toBe(byNode)
  expect(byBrowser).toBe(byNode)
  await expect(page.getByTestId('recompute')).toContainText('The result is the same, byte for byte.')
})
