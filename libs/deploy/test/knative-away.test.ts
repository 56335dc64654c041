/** A cluster that is nowhere. The tests against a real one are `npm run test:cluster`. */
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { anyDevices, knativeTarget } from '../src/index.ts'
import { FakeCluster } from './fake-cluster.ts'
import { placements, projectDir, synthesised, walk } from './walk.ts'

/** A port of loopback that nobody listens on. */
async function closedPort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}

test('a cluster that does not answer is not waited for as long as one that has something of ours', {
  // Waiting for it at the end as well took a minute.
  timeout: 45_000,
}, async () => {
  const fake = await FakeCluster.start()
  const kubeconfig = fake.kubeconfig().replaceAll(fake.url, `http://127.0.0.1:${await closedPort()}`)
  await fake.close()
  const scratchDir = mkdtempSync(path.join(tmpdir(), 'hivemind-away-'))
  const images = { node: 'any', python: 'any' }
  const target = await knativeTarget({ cluster: { kubeconfig }, knative: { images }, scratchDir })
  try {
    const synthesis = await synthesised(placements.hybrid, walk({}))
    await expect(
      target.apply({ name: 'walk', synthesis, projectDir, devices: anyDevices(2) }),
    ).rejects.toThrow(/The cluster at http:\/\/127\.0\.0\.1:\d+ did not answer: .*ECONNREFUSED/)
  } finally {
    await target.close()
    rmSync(scratchDir, { recursive: true, force: true })
  }
})
