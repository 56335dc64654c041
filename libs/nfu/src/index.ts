export { createOp, keepsState, type Nfu, NfuError, type Op, parseNfu } from './ops.ts'
