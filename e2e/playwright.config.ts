import { existsSync } from 'node:fs'
import { defineConfig } from '@playwright/test'

const executablePath = ['/usr/bin/chromium', '/usr/bin/google-chrome'].find((path) => existsSync(path))

/** Journeys in a real Chromium, one after the other: each starts its own service on a fresh data folder. */
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
  workers: 2,
  timeout: 240_000,
  expect: { timeout: 20_000 },
  reporter: [
    ['list'],
    ...(process.env.HIVEMIND_PLAYWRIGHT_REPORT
      ? [['json', { outputFile: process.env.HIVEMIND_PLAYWRIGHT_REPORT }] as ['json', { outputFile: string }]]
      : []),
  ],
  use: {
    viewport: { width: 1440, height: 900 },
    actionTimeout: 20_000,
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
