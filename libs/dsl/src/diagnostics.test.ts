import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { applyChanges, type CheckContext, CODES, check, print, type Severity } from './index.ts'

const folder = new URL('../test/diagnostics/', import.meta.url)
const context: CheckContext = {
  fileExists: (path) => !path.startsWith('missing'),
  deviceClasses: ['drone', 'rover'],
  edgeNodes: ['gateway', 'rover'],
  devices: ['drone-1', 'drone-2'],
}

test('an edge node is a place for what neither senses, moves, nor must stay on its device', () => {
  const text = (where: string, task: string, stays = '') =>
    `TaskGraph(list=['a', 'b', 'c'])\nTask(a, None, x, 'a.py', childTask=['b'])\nTask(b, x, y, 'b.py', parentTask=['a'], childTask=['c'])\nTask(c, y, z, 'c.py', parentTask=['b'])\n${stays}Place(${task}, '${where}')\n`
  const codes = (source: string) => check(source, context).diagnostics.map(({ code }) => code)
  expect(codes(text('Edge:gateway', 'b'))).toEqual([])
  expect(codes(text('Edge:gatewy', 'b'))).toEqual(['HM604'])
  expect(check(text('Edge:gatewy', 'b'), context).diagnostics[0]?.message).toMatch(
    /did you mean 'Edge:gateway'/,
  )
  // a sensor, and data that stays on its device
  expect(check(text('Edge:gateway', 'a'), context).diagnostics[0]).toMatchObject({
    code: 'HM606',
    message: expect.stringMatching(/works only on a device, and not on the edge node that serves it/),
  })
  expect(codes(text('Edge:gateway', 'b', "Data(x, stays='device')\n"))).toEqual(['HM411'])
  // a name that is also a class of devices means these
  expect(codes(text('Edge:rover', 'a'))).toEqual([])
})

/** One file for each code: the code, its severity, the text it marks, what kind of fix it offers, its line. */
const CASES: readonly [string, Severity, string, 'certain' | 'offered' | 'none', number][] = [
  ['HM101', 'error', '[', 'certain', 4],
  ['HM102', 'error', ')', 'certain', 3],
  ['HM103', 'error', ')', 'certain', 4],
  ['HM104', 'error', ' ', 'certain', 4],
  ['HM105', 'error', ',', 'certain', 4],
  ['HM106', 'error', "'b.py", 'offered', 4],
  ['HM107', 'error', '‘b.py’', 'certain', 4],
  ['HM108', 'error', ' ', 'certain', 4],
  ['HM109', 'error', 'import swarm', 'none', 1],
  ['HM110', 'error', '2 * 3', 'none', 4],
  ['HM111', 'error', '    ', 'certain', 4],
  ['HM112', 'error', 'Task', 'certain', 3],
  ['HM113', 'error', 'b', 'offered', 4],
  ['HM114', 'error', '30s', 'certain', 4],
  ['HM115', 'warning', "'fast' 'slow'", 'offered', 4],
  ['HM116', 'hint', "[execTime='10s']", 'certain', 1],
  ['HM117', 'error', "'b.py'", 'offered', 4],
  ['HM118', 'error', 'gain', 'none', 4],
  ['HM119', 'error', 'null', 'certain', 4],
  ['HM120', 'error', 'lambda', 'none', 4],
  ['HM122', 'error', 'T', 'none', 1],
  ['HM123', 'error', '=', 'none', 4],
  ['HM124', 'error', ':', 'certain', 4],
  ['HM125', 'error', '(', 'certain', 5],
  ['HM201', 'error', 'Isolat', 'certain', 5],
  ['HM202', 'error', 'format', 'none', 5],
  ['HM203', 'error', 'Restore', 'offered', 5],
  ['HM204', 'error', 'a', 'none', 5],
  ['HM205', 'error', '7', 'none', 4],
  ['HM206', 'error', "'my data'", 'offered', 4],
  ['HM207', 'error', 'edgeList', 'none', 1],
  ['HM208', 'error', "'Respawn'", 'certain', 5],
  ['HM209', 'warning', 'parents', 'offered', 4],
  ['HM210', 'error', "'2 megabytes'", 'none', 5],
  ['HM212', 'warning', "'a'", 'certain', 1],
  ['HM213', 'warning', '12345678901234567890', 'offered', 4],
  ['HM214', 'error', '1', 'none', 4],
  ['HM215', 'error', "'9999h'", 'none', 4],
  ['HM301', 'error', 'Task', 'certain', 1],
  ['HM302', 'error', 'TaskGraph', 'offered', 5],
  ['HM303', 'error', "'zebra'", 'offered', 1],
  ['HM304', 'error', 'b', 'certain', 4],
  ['HM305', 'error', 'b', 'none', 5],
  ['HM306', 'error', "'detec'", 'certain', 1],
  ['HM307', 'error', "'zebra'", 'offered', 4],
  ['HM308', 'error', 'None', 'certain', 4],
  ['HM309', 'error', "'a'", 'offered', 5],
  ['HM310', 'warning', 'c', 'none', 5],
  ['HM311', 'error', 'c', 'none', 5],
  ['HM312', 'warning', 'TaskGraph', 'none', 1],
  ['HM401', 'error', 'weather', 'offered', 4],
  ['HM402', 'error', 'y', 'none', 5],
  ['HM403', 'error', "'object'", 'none', 6],
  ['HM404', 'error', 'y', 'offered', 5],
  ['HM405', 'warning', 'x', 'offered', 5],
  ['HM406', 'warning', 'weather', 'offered', 5],
  ['HM407', 'warning', "rate='8/s'", 'offered', 5],
  ['HM408', 'error', "'jpeg'", 'none', 5],
  ['HM409', 'hint', 'x', 'certain', 6],
  ['HM410', 'error', 'y', 'none', 4],
  ['HM411', 'error', "stays='device'", 'offered', 5],
  ['HM501', 'error', 'zebra', 'offered', 5],
  ['HM502', 'error', 'a', 'none', 5],
  ['HM503', 'error', 'Serial(a, b)', 'offered', 6],
  ['HM504', 'error', 'Serial(b, a)', 'offered', 5],
  ['HM505', 'hint', 'Overlap(a, b)', 'certain', 6],
  ['HM506', 'error', 'Parallel(a, b)', 'offered', 5],
  ['HM507', 'error', "'all'", 'offered', 5],
  ['HM508', 'warning', "'9'", 'none', 6],
  ['HM509', 'hint', 'Overlap(a, b)', 'offered', 5],
  ['HM510', 'error', 'Serial(d, b)', 'offered', 9],
  ['HM601', 'error', 'zebra', 'offered', 5],
  ['HM602', 'error', "'Edge:all'", 'offered', 6],
  ['HM603', 'hint', 'Persist(b)', 'certain', 6],
  ['HM604', 'error', "'Edge:submarine'", 'none', 5],
  ['HM605', 'error', "'edge'", 'certain', 5],
  ['HM606', 'error', "'Cloud'", 'offered', 5],
  ['HM607', 'error', "'Fabric'", 'none', 5],
  ['HM608', 'warning', 'Persist(b)', 'offered', 5],
  ['HM609', 'warning', 'Schedule(b)', 'none', 5],
  ['HM610', 'error', "'most'", 'none', 5],
  ['HM611', 'warning', "'drop'", 'none', 5],
  ['HM612', 'error', "'Edge:drone'", 'offered', 5],
  ['HM613', 'hint', "'Global'", 'none', 5],
  ['HM614', 'error', "'Fabric'", 'offered', 5],
  ['HM701', 'error', 'exectime', 'certain', 1],
  ['HM702', 'error', "'10 sec'", 'certain', 1],
  ['HM703', 'error', "execTime='20s'", 'offered', 1],
  ['HM704', 'warning', "latency='2s'", 'none', 1],
  ['HM705', 'error', "'120%'", 'none', 1],
  ['HM706', 'warning', "'2s'", 'none', 5],
  ['HM801', 'error', "'../b.py'", 'none', 4],
  ['HM802', 'warning', "'missing.py'", 'none', 4],
  ['HM803', 'error', "'nfu:averge?window=8'", 'certain', 4],
  ['HM804', 'error', "'nfu:average?8'", 'none', 4],
  ['HM805', 'warning', "'b.txt'", 'none', 4],
  ['HM807', 'warning', "'missing'", 'none', 4],
  ['HM808', 'error', "'nfu:average?windw=8'", 'certain', 4],
  ['HM809', 'error', "'nfu:average?window=0'", 'none', 4],
  ['HM810', 'warning', "'device'", 'none', 4],
]

/** These come with another fault that causes them. */
const COMPANIONS: Record<string, string[]> = { HM311: ['HM309'] }

describe.each(CASES)('%s', (code, severity, marked, fix, line) => {
  const text = readFileSync(new URL(`${code}.hive.py`, folder), 'utf8')
  const { diagnostics } = check(text, context)
  const found = diagnostics.find((diagnostic) => diagnostic.code === code)

  test('is reported alone, at its place', () => {
    expect(
      diagnostics.map((diagnostic) => diagnostic.code).filter((other) => !COMPANIONS[code]?.includes(other)),
    ).toEqual([code])
    expect(found).toMatchObject({ severity, line })
    expect(text.slice(found?.from, found?.to)).toBe(marked)
    const before = text.slice(0, found?.from).split('\n')
    expect(found?.line).toBe(before.length)
    expect(found?.column).toBe((before.at(-1)?.length ?? 0) + 1)
    expect(found?.message).toMatch(/^\S.{15,}[.?]$/s)
  })

  test('is mended by its fixes', () => {
    const certain = found?.fixes.filter((one) => one.certain) ?? []
    expect(fix).toBe(certain.length > 0 ? 'certain' : found?.fixes.length ? 'offered' : 'none')
    for (const one of found?.fixes ?? []) {
      const after = check(applyChanges(text, one.changes), context).diagnostics
      expect(after.map((diagnostic) => diagnostic.code)).not.toContain(code)
      if (one.certain) expect(after).toEqual([])
    }
  })
})

test('a text that is too long is refused', () => {
  const { workflow, diagnostics } = check('#'.repeat(2_000_001))
  expect(workflow).toBeNull()
  expect(diagnostics).toMatchObject([{ code: 'HM121', severity: 'error', line: 1, column: 1 }])
})

test('every code has a file that triggers it', () => {
  const files = readdirSync(folder).map((file) => file.replace('.hive.py', ''))
  expect([...files, 'HM121'].sort()).toEqual(Object.keys(CODES).sort())
  expect(CASES.map(([code]) => code)).toEqual(files.sort())
})

test('docs/diagnostics.md explains every code, and no other', () => {
  const page = readFileSync(new URL('../../../docs/diagnostics.md', import.meta.url), 'utf8')
  const explained = [...page.matchAll(/^\| (HM\d{3}) +\| (\w+) +\| ([^|]+?) +\|/gm)].map(
    ([, code, severity, title]) => [code, severity, title],
  )
  const known = Object.entries(CODES).map(([code, { severity, title }]) => [code, severity, title])
  expect(explained.sort()).toEqual(known.sort())
})

test('the example of docs/dsl.md is right, and is what is printed', () => {
  const page = readFileSync(new URL('../../../docs/dsl.md', import.meta.url), 'utf8')
  const example = /```python\n(.*?)```/s.exec(page)?.[1] ?? ''
  const { workflow, diagnostics } = check(example)
  expect(diagnostics).toEqual([])
  expect(workflow && print(workflow)).toBe(example)
})
