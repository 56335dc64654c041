import { existsSync } from 'node:fs'
import { defineConfig } from '@playwright/test'

const executablePath = ['/usr/bin/chromium', '/usr/bin/google-chrome'].find((path) => existsSync(path))

/** Bounds a hang only: with two journeys beside each other on two cores, a step may well take its time. */
const STEP_LIMIT_MS = 40_000

/** Journeys in a real Chromium: each starts its own service on a fresh data folder. */
export default defineConfig({
  testDir: 'src',
  // Prints figures and takes minutes: no part of the tests.
  testIgnore: [
    ...(process.env.HIVEMIND_MEASURE ? [] : ['canvas-speed.spec.ts']),
    // Need the tools of the fabric: `npm run hdl:test`.
    ...(process.env.HIVEMIND_HDL ? [] : ['*.hdl.spec.ts']),
  ],
  // Needs a cluster: `npm run test:cluster`.
  ...(process.env.HIVEMIND_CLUSTER ? {} : { grepInvert: /@cluster/ }),
  outputDir: '../test-results',
  // one alone waits for a third of its time; figures are measured alone
  workers: process.env.HIVEMIND_MEASURE ? 1 : 2,
  timeout: 240_000,
  expect: { timeout: STEP_LIMIT_MS },
  reporter: [
    ['list'],
    ...(process.env.HIVEMIND_PLAYWRIGHT_REPORT
      ? [['json', { outputFile: process.env.HIVEMIND_PLAYWRIGHT_REPORT }] as ['json', { outputFile: string }]]
      : []),
  ],
  use: {
    viewport: { width: 1440, height: 900 },
    actionTimeout: STEP_LIMIT_MS,
    // A recorded trace makes a journey a third slower: asked for when one fails.
    trace: process.env.HIVEMIND_PLAYWRIGHT_TRACE ? 'retain-on-failure' : 'off',
    screenshot: 'only-on-failure',
    launchOptions: {
      executablePath,
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    },
  },
})
