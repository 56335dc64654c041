/** The fixture project: two sensors on every device, a join, a filter and a count over the swarm, in two languages. */
import { fileURLToPath } from 'node:url'
import type { Placement, Tier } from '@hivemind/swarm'
import { type Synthesis, synthesise } from '@hivemind/synthesis'
import type { Directives, Task, Workflow } from '@hivemind/workflow'
import { readProject } from '../src/index.ts'

export const projectDir = fileURLToPath(new URL('fixtures/walk', import.meta.url))

type Row = [name: string, dataIn: string[], dataOut: string, code: string, parents: string[]]

const rows: Row[] = [
  ['frames', [], 'frame', 'tasks/frames.mjs', []],
  ['position', [], 'where', 'tasks/position.mjs', []],
  ['measure', ['frame'], 'level', 'tasks/measure.py', ['frames']],
  ['locate', ['level', 'where'], 'found', 'tasks/locate.mjs', ['measure', 'position']],
  ['loud', ['found'], 'alarm', 'tasks/loud.mjs', ['locate']],
  ['total', ['alarm'], 'report', 'tasks/total.py', ['loud']],
]

export const taskNames = rows.map(([name]) => name)

const args: Record<string, Task['args']> = { measure: { files: 'data/scale.json' }, loud: { atLeast: 20 } }

/** The workflow of walk.hive.py; `change` is laid over single tasks. */
export function walk(change: Record<string, Partial<Task>> = {}): Workflow {
  const tasks = rows.map(([name, dataIn, dataOut, code, parents]): Task => {
    const directives: Directives = name === 'total' ? { synchronize: { kind: 'all' } } : {}
    const more = change[name] ?? {}
    return {
      name,
      dataIn,
      dataOut,
      code,
      parents,
      children: rows.filter((row) => row[4].includes(name)).map(([child]) => child),
      ...more,
      args: { ...args[name], ...more.args },
      directives: { ...directives, ...more.directives },
    }
  })
  const data = rows.map(([, , name]) =>
    name === 'where' ? { name, kind: 'object' as const, declared: true } : { name, declared: false },
  )
  return { schema: 'hivemind.workflow/1', tasks, data, relations: [], constraints: [] }
}

/** Everything on one tier, but what must be in the cloud; `other` overrides single tasks. */
export function placed(tier: Tier, other: Placement = {}): Placement {
  return { ...Object.fromEntries(taskNames.map((name) => [name, tier])), total: 'cloud', ...other }
}

export const placements = {
  cloud: placed('cloud'),
  edge: placed('edge'),
  hybrid: placed('edge', { measure: 'cloud', loud: 'cloud' }),
}

export async function synthesised(placement: Placement, workflow = walk()): Promise<Synthesis> {
  const { files } = await readProject(projectDir)
  return synthesise({ name: 'walk', workflow, placement, files })
}

/** What a run over so many devices reports, worked out by hand: frames of value v measure 2v, 20 and more are loud. */
export function expected(devices: number, items = 6): unknown {
  const loud = Array.from({ length: devices }, (_, device) =>
    Array.from({ length: items }, (_, seq) => ({
      key: `device-${device + 1}/${seq}`,
      level: 2 * (device * 10 + seq),
    })),
  )
    .flat()
    .filter(({ level }) => level >= 20)
  const first = loud[0] ? Buffer.alloc(2, loud[0].level / 2).toString('base64') : null
  return {
    count: loud.length,
    sum: loud.reduce((sum, { level }) => sum + level, 0),
    keys: loud.map(({ key }) => key),
    first: first === null ? null : { $bytes: first },
  }
}
