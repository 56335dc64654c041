/** Random models for tests of what must hold for all. */
import type { RestorePolicy } from '@hivemind/workflow'
import { buildModel } from '../src/model/build.ts'
import type { Model } from '../src/model/model.ts'
import { streamOf, uniform } from '../src/random.ts'
import { plainFleet, profileOf, tier, workflowOf } from './workflows.ts'

const POLICIES: (RestorePolicy | undefined)[] = [undefined, 'respawn', 'repartition', 'checkpoint', 'ignore']

/**
 * A workflow of two to eight tasks on one to six devices: sensors of equal streams and tasks that read one or more of
 * those before them, on either side, with outputs of any size, and perhaps a barrier at the end.
 */
export function randomModel(seed: number): Model {
  const stream = streamOf(seed, 1)
  let drawn = 0
  const draw = (below: number) => Math.floor(uniform(stream, drawn++) * below)
  const sensors = 1 + draw(2)
  const count = sensors + 1 + draw(6)
  const tasks: Parameters<typeof workflowOf>[0] = {}
  const placement: Record<string, 'edge' | 'cloud'> = {}
  const profile: Parameters<typeof profileOf>[0] = {}
  const restore = POLICIES[draw(POLICIES.length)]
  for (let index = 0; index < count; index++) {
    const name = `t${index}`
    const isSensor = index < sensors
    const parents = isSensor
      ? []
      : Array.from({ length: index }, (_, parent) => `t${parent}`).filter(
          (_, parent) => draw(3) === 0 || parent === index - 1,
        )
    const isBarrier = index === count - 1 && draw(2) === 0
    tasks[name] = {
      reads: parents.map((parent) => `${parent}Out`),
      parents,
      args: isSensor ? { rate: '2/s' } : {},
      directives: {
        ...(restore && { restore }),
        ...(isBarrier && { synchronize: { kind: 'all' as const } }),
      },
    }
    placement[name] = isSensor || (!isBarrier && draw(2) === 0) ? 'edge' : 'cloud'
    profile[name] = tier(draw(800), draw(3) * draw(3e7))
  }
  const workflow = workflowOf(tasks)
  if (count > sensors + 2 && draw(2) === 0)
    workflow.relations.push({ kind: 'serial', a: `t${count - 2}`, b: `t${sensors}` })
  return buildModel({
    workflow,
    placement,
    fleet: plainFleet(1 + draw(6), { cores: 1 + draw(2), cloud: { coresPerServer: 2 + draw(20) } }),
    profile: profileOf(profile),
    itemsPerDevice: 1 + draw(30),
  })
}
