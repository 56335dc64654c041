import { defineConfig } from 'vitest/config'

/** HIVEMIND_QUICK=1 leaves out `*.slow.test.ts`; HIVEMIND_SOAK=1 lets property tests run at full length, with new cases. */
const quick = process.env.HIVEMIND_QUICK === '1'

export default defineConfig({
  test: {
    include: [
      'libs/**/*.test.ts',
      'apps/**/*.test.ts',
      'examples/**/*.test.ts',
      'scripts/**/*.test.ts',
      'bench/**/*.test.ts',
    ],
    exclude: ['**/node_modules/**', ...(quick ? ['**/*.slow.test.ts'] : [])],
    environment: 'node',
    setupFiles: ['scripts/lib/properties.ts'],
    testTimeout: 30_000,
    hookTimeout: 120_000,
    maxWorkers: 2,
  },
})
