/** All statements, in the order of the paper's sections on each subject. */
import type { Statement } from '../rows.ts'
import { ABLATIONS } from './ablations.ts'
import { NETWORK } from './network.ts'
import { PERFORMANCE } from './performance.ts'
import { SERVERLESS } from './serverless.ts'
import { SIDES } from './sides.ts'
import { SWARMS } from './swarms.ts'
import { USAGE } from './usage.ts'

export const STATEMENTS: readonly Statement[] = [
  ...NETWORK,
  ...SIDES,
  ...SERVERLESS,
  ...PERFORMANCE,
  ...ABLATIONS,
  ...USAGE,
  ...SWARMS,
]
