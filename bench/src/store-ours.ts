/** Measures the pairs of the store bench, and prints them as JSON. */
import { embeddedPairs, end, type Pair, redisPairs } from './store-pairs.ts'

const ROUNDS = 5

/** Time of one operation in us. */
async function timeOf(run: Pair['ours'], count: number): Promise<number> {
  const start = performance.now()
  await run(count)
  return ((performance.now() - start) * 1_000) / count
}

const median = (values: number[]): number => values.sort((a, b) => a - b)[values.length >> 1] as number

const measured = []
for (const { name, peer, goal, count, ours, theirs } of [
  ...(await embeddedPairs()),
  ...(await redisPairs()),
]) {
  // Until V8 compiles no more of either.
  for (let round = 0; round < ROUNDS; round++) {
    await ours(count)
    await theirs(count)
  }
  const times = { ours: [] as number[], theirs: [] as number[] }
  for (let round = 0; round < ROUNDS; round++) {
    times.ours.push(await timeOf(ours, count))
    times.theirs.push(await timeOf(theirs, count))
  }
  const ratio = median(times.ours.map((time, at) => time / (times.theirs[at] as number)))
  measured.push({ name, peer, goal, ratio, oursUs: median(times.ours), theirsUs: median(times.theirs) })
}
await end()
console.log(JSON.stringify(measured))
process.exit(0)
