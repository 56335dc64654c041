/** Random workflows for property tests: any that the language can say, in the order `check` gives them. */
import {
  type ArgValue,
  type ConstraintKey,
  type DataItem,
  type Dimension,
  type Directives,
  parseQuantity,
  type Quantity,
  type Relation,
  type Task,
  unitsOf,
  type Workflow,
} from '@hivemind/workflow'
import fc from 'fast-check'
import { TASK_PARAMETERS } from '../src/edit/editor.ts'
import { CONSTRAINTS } from '../src/meaning/statements.ts'
import { isName, isReserved } from '../src/syntax/literal.ts'
import { seeded } from './mutants.ts'

const LETTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_'
const word = fc
  .tuple(
    fc.constantFrom(...LETTERS),
    fc.string({ unit: fc.constantFrom(...LETTERS, ...'0123456789'), maxLength: 9 }),
  )
  .map(([first, rest]) => first + rest)
export const name = fc
  .oneof(
    { weight: 20, arbitrary: word },
    {
      weight: 1,
      arbitrary: fc.constantFrom('class', 'lambda', 'Task', 'dict', 'constructor', 'toString', 'list'),
    },
  )
  .filter(isName)
const keyword = word.filter((text) => !isReserved(text) && text !== '__proto__')

const anyText = fc.oneof(
  fc.string({ maxLength: 12 }),
  fc.string({ unit: 'binary', maxLength: 6 }),
  fc.constantFrom("it's", '"', '\\', '\r\n', '#', "'''", '\u2028', '\ud800', '\0', 'µ€😀'),
)
const number = fc
  .oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }))
  .map((value) => (value === 0 ? 0 : value))

export const argValue: fc.Arbitrary<ArgValue> = fc.letrec<{ value: ArgValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    anyText,
    number,
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(
      fc.oneof(word, anyText).filter((key) => key !== '__proto__'),
      tie('value'),
      { maxKeys: 3, noNullPrototype: true },
    ),
  ),
})).value

export function quantity(...dimensions: Dimension[]): fc.Arbitrary<Quantity> {
  const units = dimensions.flatMap((dimension) => unitsOf(dimension))
  const amount = fc.oneof(
    fc.nat(100_000).map(String),
    fc.tuple(fc.nat(999), fc.nat(99)).map(([a, b]) => `${a}.${b}`),
    fc.constantFrom('.5', '1e3', '2.', '0'),
  )
  return fc
    .tuple(amount, fc.constantFrom('', '', ' '), fc.constantFrom(...units))
    .map(([a, blank, unit]) => parseQuantity(a + blank + unit) as Quantity)
}

const optional = <T>(arbitrary: fc.Arbitrary<T>, weight = 4) =>
  fc.option(arbitrary, { nil: undefined, freq: weight })
const without = <T extends object>(value: T): T =>
  Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as T

const directives: fc.Arbitrary<Directives> = fc
  .record({
    synchronize: optional(
      fc.oneof(
        fc.constantFrom({ kind: 'all' as const }, { kind: 'any' as const }),
        fc.integer({ min: 1, max: 999 }).map((count) => ({ kind: 'count' as const, count })),
      ),
    ),
    schedule: optional(
      fc
        .record({
          priority: optional(number, 2),
          deadline: optional(quantity('time'), 2),
          onMiss: optional(fc.constant('drop' as const), 3),
        })
        .map(without)
        .filter((schedule) => Object.keys(schedule).length > 0),
    ),
    isolate: optional(fc.constant(true as const)),
    place: optional(
      fc.oneof(
        fc.constantFrom({ tier: 'cloud' as const }, { tier: 'fabric' as const }),
        fc.constantFrom('all', 'drone', 'device-1').map((target) => ({ tier: 'edge' as const, target })),
      ),
    ),
    restore: optional(
      fc.constantFrom('respawn' as const, 'repartition' as const, 'checkpoint' as const, 'ignore' as const),
    ),
    learn: optional(fc.constantFrom('Global' as const, 'Device' as const, 'Off' as const)),
    persist: optional(fc.constant(true as const)),
  })
  .map(without)

const args = fc.dictionary(
  keyword.filter((key) => !TASK_PARAMETERS.has(key)),
  argValue,
  { maxKeys: 3, noNullPrototype: true },
)
const code = fc.oneof(
  word.map((text) => `tasks/${text}.py`),
  anyText,
  fc.constantFrom('nfu:average?window=8', 'filepath/to/task/code'),
)

/** Data in the order `check` gives it. */
export function orderData(tasks: readonly Task[], declared: readonly DataItem[]): DataItem[] {
  const byName = new Map(declared.map((item) => [item.name, item]))
  const names = new Set([
    ...tasks.flatMap((task) => [...task.dataIn, ...(task.dataOut === null ? [] : [task.dataOut])]),
    ...byName.keys(),
  ])
  return [...names].map((one) => byName.get(one) ?? { name: one, declared: false })
}

/** Workflows of up to `most` tasks. Their graph has no cycle; their data may make little sense. */
export function workflows(most = 7): fc.Arbitrary<Workflow> {
  return fc
    .record({
      names: fc.uniqueArray(name, { maxLength: most }),
      dataNames: fc.uniqueArray(name, { minLength: 1, maxLength: most }),
      seed: fc.nat(),
      parts: fc.array(fc.tuple(code, args, directives), { minLength: most, maxLength: most }),
      fields: fc.array(
        fc
          .record({
            kind: optional(fc.constantFrom('object' as const, 'stream' as const), 2),
            type: optional(
              fc.constantFrom('image/jpeg', 'application/vnd.x+json', 'text/plain; charset=utf-8'),
              2,
            ),
            size: optional(quantity('size'), 2),
            rate: optional(quantity('rate'), 2),
            stays: optional(fc.constant('device' as const), 4),
          })
          .map(without),
        { minLength: most, maxLength: most },
      ),
      limits: fc.tuple(...CONSTRAINTS.map((spec) => optional(quantity(...spec.dimensions), 2))),
    })
    .map(({ names, dataNames, seed, parts, fields, limits }) => {
      const random = seeded(seed)
      const pick = () => random(1000)
      const tasks: Task[] = names.map((own, index) => ({
        name: own,
        dataIn: [
          ...new Set(
            Array.from({ length: pick() % 3 }, () => dataNames[pick() % dataNames.length] as string),
          ),
        ],
        dataOut: pick() % 4 === 0 ? null : (dataNames[index % dataNames.length] as string),
        code: parts[index]?.[0] ?? '',
        parents: [],
        children: [],
        args: parts[index]?.[1] ?? {},
        directives: parts[index]?.[2] ?? {},
      }))
      const relations: Relation[] = []
      for (const [to, child] of tasks.entries())
        for (const parent of tasks.slice(0, to)) {
          if (pick() % 3 === 0) {
            child.parents.push(parent.name)
            parent.children.push(child.name)
          }
          if (pick() % 6 === 0) {
            const kind = (['parallel', 'overlap', 'serial'] as const)[pick() % 3] as Relation['kind']
            const scope = kind === 'serial' && pick() % 3 === 0 ? { scope: 'swarm' as const } : {}
            const [a, b] = pick() % 2 ? [parent.name, child.name] : [child.name, parent.name]
            relations.push({ kind, a, b, ...scope })
          }
        }
      // The order of tasks in the text need not be an order of the graph.
      if (pick() % 3 === 0) tasks.reverse()
      const declared = dataNames
        .filter(() => pick() % 3 === 0)
        .map((own, index) => ({ name: own, ...fields[index], declared: true }))
      const keys = CONSTRAINTS.map(({ key }) => key)
      const constraints = limits.flatMap((limit, index) =>
        limit ? [{ key: keys[index] as ConstraintKey, limit }] : [],
      )
      return {
        schema: 'hivemind.workflow/1' as const,
        tasks,
        data: orderData(tasks, declared),
        relations,
        constraints,
      }
    })
}
