export { createOp, type Nfu, NfuError, type Op, parseNfu } from './ops.ts'
