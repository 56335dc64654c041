/** Checking a whole workflow text against what Python's own parser takes for the same text. */
import { textOf } from './dsl-text.ts'
import { medianOf, own, scratch } from './peers.ts'
import type { Bench, Row } from './table.ts'

const TASKS = 200

interface Result {
  cpuS: number
  version: string
  kB: number
}

function row(label: string, result: Result): Row {
  return {
    name: `${label} (${result.version})`,
    cpuS: result.cpuS,
    figures: { 'MB/s': (result.kB / 1000 / result.cpuS).toFixed(2) },
  }
}

export const dslCheck: Bench = {
  name: 'dsl-check',
  title: `one text of ${TASKS} tasks; ours parses and makes all checks, ast.parse only parses; medians of 3 processes`,
  async run() {
    return [
      row('HiveMind check', medianOf(process.execPath, [own('src/dsl-check-ours.ts'), String(TASKS)])),
      row(
        'Python ast.parse',
        medianOf('python3', [own('peers/ast_parse.py'), scratch('tasks.hive.py', textOf(TASKS))]),
      ),
    ]
  },
}
