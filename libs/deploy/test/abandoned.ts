/** A process that deploys, says so, and then waits to be killed. Arguments: scratch folder. */
import { anyDevices, localTarget } from '../src/index.ts'
import { placements, projectDir, synthesised } from './walk.ts'

const spec = {
  name: 'walk',
  synthesis: await synthesised(placements.hybrid),
  projectDir,
  devices: anyDevices(2),
}
const deployment = await localTarget({ scratchDir: process.argv[2] ?? '.' }).apply(spec)
void deployment.run()
console.log('deployed')
setInterval(() => {}, 1000)
