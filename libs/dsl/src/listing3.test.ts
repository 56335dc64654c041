import { expect, test } from 'vitest'
import { listing3 } from '../test/properties.ts'
import { pythonSays } from '../test/python.ts'
import { applyChanges, check, fixAll, print } from './index.ts'

/** Listing 3 of the paper, byte for byte as printed. */
test('every fault of the listing is found where it is, and nothing else', () => {
  const { diagnostics } = check(listing3)
  const lines = listing3.split('\n')
  expect(
    diagnostics.map(({ code, severity, line, column, from, to }) => [
      code,
      severity,
      line,
      column,
      listing3.slice(from, to),
    ]),
  ).toEqual([
    ['HM306', 'error', 2, 1, "'obstacleAvoid'"],
    ['HM116', 'hint', 3, 29, "[execTime='10s']"],
    ['HM102', 'error', 20, 28, ')'],
    ['HM102', 'error', 26, 29, ')'],
    ['HM102', 'error', 32, 31, ')'],
    ['HM613', 'hint', 37, 23, "'Global'"],
  ])
  expect(lines[19]).toBe("parentTask=['collectImage']),childTask=[])")
  expect(lines[25]).toBe("parentTask=['collectImage'],),")
  expect(lines[31]).toBe("parentTask=['faceRecognition']),")
  const faults = diagnostics.filter(({ code }) => code !== 'HM613')
  expect(faults.every(({ fixes }) => fixes.filter(({ certain }) => certain).length === 1)).toBe(true)
  expect(diagnostics[0]?.message).toContain("did you mean 'obstacleAvoidance'")
  expect(faults.slice(2).map(({ fixes, task }) => [fixes[0]?.title, task])).toEqual([
    ['Remove this parenthesis', 'obstacleAvoidance'],
    ['Remove this parenthesis', 'faceRecognition'],
    ['Remove this parenthesis', 'deduplication'],
  ])
})

test('its certain fixes leave no fault, and Python parses it', () => {
  const { text, applied } = fixAll(listing3)
  expect(applied).toHaveLength(5)
  expect(check(text).diagnostics.map(({ code }) => code)).toEqual(['HM613'])
  expect(pythonSays([listing3, text])).toEqual([expect.any(String), null])
  // The fixes take away three parentheses and a comma, and change one name and two brackets.
  expect(text.length).toBe(listing3.length - 4 + 'ance'.length + 'dict'.length)
})

test('it means what the paper says', () => {
  const { workflow } = check(fixAll(listing3).text)
  expect(workflow?.tasks.map(({ name, parents, children }) => [name, parents, children])).toEqual([
    ['createRoute', [], ['collectImage']],
    ['collectImage', ['createRoute'], ['obstacleAvoidance', 'faceRecognition']],
    ['obstacleAvoidance', ['collectImage'], []],
    ['faceRecognition', ['collectImage'], ['deduplication']],
    ['deduplication', ['faceRecognition'], []],
  ])
  expect(workflow?.tasks.map(({ directives }) => directives)).toEqual([
    {},
    {},
    { place: { tier: 'edge', target: 'all' } },
    { learn: 'Global', persist: true },
    { synchronize: { kind: 'all' }, persist: true },
  ])
  expect(workflow?.tasks[1]).toMatchObject({
    dataIn: [],
    dataOut: 'sensorData',
    args: { speed: '4', resolution: '1024p', colorFormat: 'color' },
  })
  expect(workflow?.relations).toEqual([
    { kind: 'parallel', a: 'obstacleAvoidance', b: 'faceRecognition' },
    { kind: 'serial', a: 'faceRecognition', b: 'deduplication' },
  ])
  expect(workflow?.constraints).toEqual([
    { key: 'execTime', limit: { dimension: 'time', value: 10_000, text: '10s' } },
  ])
  // Its faults are mended in reading already: the unmended text means the same, but for the name that is not there.
  expect(
    check(listing3)
      .workflow?.tasks.map(({ name }) => name)
      .sort(),
  ).toEqual(workflow?.tasks.map(({ name }) => name).sort())
  if (workflow) expect(check(print(workflow))).toMatchObject({ workflow, diagnostics: [{ code: 'HM613' }] })
})

test('each fix can be taken alone', () => {
  const before = check(listing3).diagnostics
  for (const { fixes } of before.filter((one) => one.fixes.length > 0)) {
    const after = check(applyChanges(listing3, fixes[0]?.changes ?? [])).diagnostics
    expect(after).toHaveLength(before.length - 1)
  }
})
