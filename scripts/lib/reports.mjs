// What the reports of the test runners say.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { cache, root } from './run.mjs'

/** Where the runners report. */
export const suiteReports = reportsOf('suites')
export const clusterReports = reportsOf('cluster')

function reportsOf(name) {
  const file = (runner) => path.join(cache, `${name}-${runner}.json`)
  return { vitest: file('vitest'), playwright: file('playwright') }
}

/** Lines kept of what a test said when it failed. */
const LINES = 12

/** `{ passed, failures }` of a JSON report; nothing of one that was never written. */
export function told(file, read) {
  try {
    return read(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    return { passed: 0, failures: [] }
  }
}

/** One failure in a few lines: where, which test, and the beginning of what it said. */
function failure(file, title, message = '') {
  const said = stripVTControlCharacters(message).split('\n', LINES)
  return [`${path.relative(root, file)} > ${title}`, ...said].join('\n    ')
}

export function vitestTold({ numPassedTests, testResults }) {
  const failures = testResults.flatMap(({ name, status, message, assertionResults }) => {
    const failed = assertionResults.filter((test) => test.status === 'failed')
    // a file that could not be read has no tests
    if (failed.length === 0) return status === 'failed' ? [failure(name, 'the file itself', message)] : []
    return failed.map((test) => failure(name, test.fullName, test.failureMessages[0]))
  })
  return { passed: numPassedTests, failures }
}

export function playwrightTold({ config, stats, suites, errors }) {
  const failures = errors.map(({ message }) => failure('e2e', 'before any test', message))
  const visit = (suite) => {
    for (const { ok, file, title, tests } of suite.specs ?? []) {
      if (ok) continue
      const failed = tests.flatMap(({ results }) => results).find(({ error }) => error)
      failures.push(failure(path.join(config.rootDir, file), title, failed?.error.message))
    }
    suite.suites?.forEach(visit)
  }
  suites.forEach(visit)
  return { passed: stats.expected, failures }
}
