/** `hivemind synth`: plan, IDL, flow and manifests. */
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { helloSwarm, hivemind, json, killRunning, scratchProject, type Write } from './command.ts'

let folder: string
let write: Write
let remove: () => Promise<void>

beforeAll(async () => {
  ;({ folder, write, remove } = await scratchProject())
})
afterAll(async () => {
  killRunning()
  await remove()
})

it('writes plan, IDL, flow and manifests, twice the same', async () => {
  const placement = await write('placement.json', '{"judge": "edge"}')
  const texts: string[][] = []
  for (const name of ['once', 'twice']) {
    const out = path.join(folder, name)
    const outcome = await hivemind('synth', helloSwarm, '--placement', placement, '--out', out, '--json')
    const { plan, bundles, written } = json<{
      plan: { schema: string; placement: unknown }
      bundles: { task: string; hash: string }[]
      written: string[]
    }>(outcome)
    expect(plan).toMatchObject({
      schema: 'hivemind.plan/1',
      placement: { readSensor: 'edge', judge: 'edge', summary: 'cloud' },
    })
    expect(bundles.map(({ task }) => task)).toEqual(['readSensor', 'judge', 'summary'])
    for (const { hash } of bundles) expect(hash).toMatch(/^[0-9a-f]{64}$/)
    expect(written.map((file) => path.relative(out, file))).toEqual([
      'plan.json',
      'hello-swarm.thrift',
      'flows/edge.json',
      'dataflow.json',
      'functions/summary.json',
    ])
    texts.push(await Promise.all(written.map((file) => readFile(file, 'utf8'))))
  }
  expect(texts[1]).toEqual(texts[0])
})
