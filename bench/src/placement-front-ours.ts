/** One front by our exact method: prints its figures as JSON. Arguments: file of the instance, CPU seconds to stop after. */
import { readFileSync } from 'node:fs'
import { additiveProblem, exactFront } from '@hivemind/placement'
import type { Instance } from './placement-front-instances.ts'

const { tasks, edges } = JSON.parse(readFileSync(process.argv[2] as string, 'utf8')) as Instance
const seconds = process.argv[3] === undefined ? Number.POSITIVE_INFINITY : Number(process.argv[3])
const before = process.cpuUsage()
const usedS = () => {
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1e6
}
const front = exactFront(additiveProblem(tasks, edges), { shouldStop: () => usedS() >= seconds })
const cpuS = usedS()
console.log(
  JSON.stringify({
    cpuS,
    version: `0.1.0 (Node ${process.version})`,
    complete: front.proven,
    epsilon: Number.isFinite(front.epsilon) ? front.epsilon : null,
    points: Array.from({ length: front.count }, (_, i) => [...front.objectives.subarray(i * 3, i * 3 + 3)]),
  }),
)
