/** All statements, in the order of the paper's sections on each subject. */
import type { Statement } from '../rows.ts'
import { HIVEMIND } from './hivemind.ts'
import { NETWORK } from './network.ts'
import { SERVERLESS } from './serverless.ts'
import { SIDES } from './sides.ts'
import { SWARMS } from './swarms.ts'

export const STATEMENTS: readonly Statement[] = [...NETWORK, ...SIDES, ...SERVERLESS, ...HIVEMIND, ...SWARMS]
