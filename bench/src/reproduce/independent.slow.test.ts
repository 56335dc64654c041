import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { pythonWith } from '../peers.ts'
import { SHIPPED } from './parameters.ts'
import { mean, rowOf } from './rows.ts'
import { STATEMENTS } from './statements/index.ts'
import { study } from './systems.ts'

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url))
const REPETITIONS = 5

/** The gains of single jobs that a row names: `S1 1.46x, S2 ...`. */
const gainsIn = (ours: string) =>
  Object.fromEntries([...ours.matchAll(/(S\d+) ([\d.]+)x/g)].map(([, name, gain]) => [name, Number(gain)]))

test('SimPy, given the inputs of the page alone, agrees within 3 % on three rows', {
  timeout: 600_000,
}, async () => {
  const python = pythonWith(['simpy==4.1.1'])
  const program = path('../../peers/reproduce_simpy.py')
  const page = path('../../../docs/reproduction.md')
  const theirs = JSON.parse(
    execFileSync(python, [program, page, String(REPETITIONS)], { encoding: 'utf8' }),
  ) as { 'network-mean': number; 'start-median': number; gains: Record<string, number> }
  const experiments = study(SHIPPED)
  const row = (id: string) => {
    const statement = STATEMENTS.find((each) => each.id === id)
    if (!statement) throw new Error(`There is no row '${id}'.`)
    return rowOf(statement, experiments)
  }
  const off = (ours: number, other: number) => Math.abs(ours / other - 1)
  for (const id of ['network-mean', 'start-median'] as const)
    expect(off((await row(id)).value, theirs[id]), id).toBeLessThan(0.03)
  const ours = gainsIn((await row('better-mean')).ours)
  const names = Object.keys(theirs.gains)
  expect(names).toEqual(['S1', 'S2', 'S5', 'S6', 'S8', 'S9', 'S10'])
  const over = (gains: Record<string, number>) => mean(names.map((name) => gains[name] ?? 0))
  expect(off(over(ours), over(theirs.gains)), 'better-mean').toBeLessThan(0.03)
})
