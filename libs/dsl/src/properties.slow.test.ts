import { test } from 'vitest'
import { edits, incremental, mutants, roundTrip } from '../test/properties.ts'

/** HIVEMIND_SOAK=1 runs the full numbers. */
const soak = process.env.HIVEMIND_SOAK === '1'
const limit = soak ? 3_600_000 : 300_000

test('round trip at length', { timeout: limit }, () => roundTrip(soak ? 10_000 : 1000))
test('edits at length', { timeout: limit }, () => edits(soak ? 10_000 : 1000))
test('mutants at length', { timeout: limit }, () => mutants(soak ? 100_000 : 5000, 3))
test('documents at length', { timeout: limit }, () => incremental(soak ? 2000 : 200, 4))
