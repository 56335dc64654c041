import { defineConfig } from 'vitest/config'

/**
 * HIVEMIND_QUICK=1 leaves out `*.slow.test.ts`; HIVEMIND_SOAK=1 lets property tests run at full length, with new cases.
 * `*.hdl.test.ts` need the tools of the fabric: `npm run hdl:test` runs them, and nothing else, with HIVEMIND_HDL=1.
 * `*.cluster.test.ts` need a cluster: `npm run test:cluster` runs them, and nothing else, with HIVEMIND_CLUSTER=1; `npm test` runs
 * those that are not `*.slow.cluster.test.ts`.
 */
const cluster = process.env.HIVEMIND_CLUSTER === '1'
const hdl = process.env.HIVEMIND_HDL === '1'
const quick = process.env.HIVEMIND_QUICK === '1'

export default defineConfig({
  test: {
    include: cluster
      ? ['libs', 'apps', 'infra'].map((room) => `${room}/**/*.cluster.test.ts`)
      : hdl
        ? ['libs/**/*.hdl.test.ts']
        : ['libs', 'apps', 'examples', 'infra', 'scripts', 'bench'].map((room) => `${room}/**/*.test.ts`),
    exclude: [
      '**/node_modules/**',
      ...(cluster ? [] : ['**/*.cluster.test.ts']),
      ...(hdl ? [] : ['**/*.hdl.test.ts']),
      ...(quick ? ['**/*.slow.test.ts', '**/*.slow.cluster.test.ts'] : []),
    ],
    environment: 'node',
    setupFiles: ['scripts/lib/properties.ts'],
    // those of hardware run beside all others, with the time that they leave
    testTimeout: hdl ? 120_000 : 30_000,
    hookTimeout: hdl ? 480_000 : 120_000,
    maxWorkers: 2,
    // two generators of the fabric at once are in each other's way; a cluster of one node has no room for what all of them make
    fileParallelism: !hdl && !cluster,
  },
})
