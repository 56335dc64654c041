/** Random edits of a workflow, most of them sensible. */
import { type ArgValue, type Task, unitsOf, type Workflow } from '@hivemind/workflow'
import type { DirectiveEdit, GraphEdit } from '../src/edits.ts'
import { CONSTRAINTS } from '../src/meaning/statements.ts'

type Pick = (below: number) => number

const FRESH = ['fresh', 'newTask', 'x9', 'class', 'Report_2', 'bad name']
const VALUES: (ArgValue | { none: true })[] = [
  'round robin',
  "it's",
  7,
  0.5,
  true,
  { none: true },
  [1, 'a'],
  { depth: 2 },
  { 'a-b': [] },
  null,
]

export function randomEdit(workflow: Workflow, pick: Pick, depth = 0): GraphEdit {
  const one = <T>(choices: readonly T[]): T => choices[pick(choices.length)] as T
  const task = () => (workflow.tasks.length > 0 && pick(12) > 0 ? one(workflow.tasks).name : one(FRESH))
  const data = () =>
    workflow.data.length > 0 && pick(4) > 0 ? one(workflow.data).name : one(['fresh', 'image_2', 'lambda'])
  const dataNames = () => [...new Set(Array.from({ length: pick(4) }, data))]
  const own = workflow.tasks.length > 0 ? one(workflow.tasks) : undefined
  switch (pick(depth === 0 ? 15 : 14)) {
    case 0:
      return {
        kind: 'addTask',
        task: {
          name: one(FRESH),
          code: 'tasks/fresh.py',
          dataIn: dataNames(),
          dataOut: pick(2) ? null : data(),
          ...(own && pick(2) ? { parents: [own.name] } : {}),
          ...(own && pick(4) === 0 ? { children: [task()] } : {}),
          ...(pick(2) ? { args: { gain: 2, mode: 'fast' } } : {}),
        },
      }
    case 1:
      return { kind: 'removeTask', task: task() }
    case 2:
      return { kind: 'renameTask', task: task(), to: pick(8) ? one(FRESH) : task() }
    case 3:
    case 4:
      return { kind: 'connect', from: task(), to: task(), ...(pick(2) ? { data: true } : {}) }
    case 5:
      return {
        kind: 'disconnect',
        from: own?.name ?? 'x',
        to: own && own.children.length > 0 ? one(own.children) : task(),
      }
    case 6:
      return { kind: 'setCode', task: task(), code: one(['tasks/a.py', "it's.js", '', own?.code ?? 'b.py']) }
    case 7:
      return {
        kind: 'setDataIn',
        task: own?.name ?? 'x',
        dataIn: pick(3) ? dataNames() : [...(own?.dataIn ?? []), ...dataNames()],
      }
    case 8:
      return { kind: 'setDataOut', task: task(), dataOut: pick(3) ? data() : null }
    case 9:
      return {
        kind: 'setArg',
        task: own?.name ?? 'x',
        arg: pick(2) && own ? one([...Object.keys(own.args), 'gain']) : one(['gain', 'mode', 'speed']),
        value: one(VALUES),
      }
    case 10:
      return randomDirective(own, pick)
    case 11: {
      const relation = one(['parallel', 'overlap', 'serial', 'serial', null] as const)
      const scope = pick(relation === 'serial' ? 2 : 12) === 0 ? { scope: 'swarm' as const } : {}
      return { kind: 'setRelation', a: task(), b: task(), relation, ...scope }
    }
    case 12: {
      const spec = one(CONSTRAINTS)
      return {
        kind: 'setConstraint',
        key: spec.key,
        value: pick(3)
          ? `${pick(90)}${one(spec.dimensions.flatMap((dimension) => unitsOf(dimension)))}`
          : null,
      }
    }
    case 13:
      return pick(3)
        ? {
            kind: 'setData',
            data: data(),
            fields: pick(4)
              ? {
                  ...(pick(2) ? { kind: one(['object', 'stream']) } : {}),
                  ...(pick(2) ? { type: 'image/png' } : {}),
                  ...(pick(2) ? { size: '3MB' } : {}),
                  ...(pick(2) ? { rate: '9/s' } : {}),
                  ...(pick(4) ? {} : { stays: 'device' as const }),
                }
              : null,
          }
        : { kind: 'renameData', data: data(), to: one(['renamed', 'frames', 'not so']) }
    default:
      return {
        kind: 'batch',
        edits: Array.from({ length: 1 + pick(3) }, () => randomEdit(workflow, pick, depth + 1)),
      }
  }
}

function randomDirective(own: Task | undefined, pick: Pick): DirectiveEdit {
  const task = own?.name ?? 'x'
  const one = <T>(choices: readonly T[]): T => choices[pick(choices.length)] as T
  const gone = pick(4) === 0
  switch (pick(7)) {
    case 0:
      return {
        kind: 'setDirective',
        task,
        directive: 'synchronize',
        value: gone ? null : one([{ kind: 'all' }, { kind: 'any' }, { kind: 'count', count: 1 + pick(50) }]),
      }
    case 1:
      return {
        kind: 'setDirective',
        task,
        directive: 'schedule',
        value: gone
          ? null
          : {
              ...(pick(2) ? { priority: pick(9) } : {}),
              ...(pick(2) ? { deadline: `${pick(9)}s` } : {}),
              ...(pick(2) ? { onMiss: 'drop' as const } : {}),
            },
      }
    case 2:
      return { kind: 'setDirective', task, directive: 'isolate', value: gone ? null : true }
    case 3:
      return {
        kind: 'setDirective',
        task,
        directive: 'place',
        value: gone ? null : one(['Cloud', 'Edge:all', 'Edge:drone', 'Fabric', 'nowhere']),
      }
    case 4:
      return {
        kind: 'setDirective',
        task,
        directive: 'restore',
        value: gone ? null : one(['respawn', 'repartition', 'checkpoint', 'ignore']),
      }
    case 5:
      return {
        kind: 'setDirective',
        task,
        directive: 'learn',
        value: gone ? null : one(['Global', 'Device', 'Off']),
      }
    default:
      return { kind: 'setDirective', task, directive: 'persist', value: gone ? null : true }
  }
}
