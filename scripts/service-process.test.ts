import { spawnSync } from 'node:child_process'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'

interface ServiceProcess {
  serviceOptions: string[]
}

test('the Node.js of the project knows the options of the service, and they keep the memory of new objects small', async () => {
  const file = pathToFileURL(`${import.meta.dirname}/lib/service-process.mjs`).href
  const { serviceOptions } = (await import(file)) as ServiceProcess
  // Live objects that survive make V8 enlarge the memory of new ones as far as it may.
  const program = `
    const kept = []
    for (let n = 0; n < 3e6; n += 1) { kept.push({ n }); if (kept.length > 2e5) kept.length = 0 }
    console.log(v8.getHeapSpaceStatistics().find((space) => space.space_name === 'new_space').space_size)`
  const newSpace = (options: string[]) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [...options, '-e', program], {
      encoding: 'utf8',
    })
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    return Number(stdout)
  }
  expect(newSpace(serviceOptions)).toBeLessThan(newSpace([]))
})
