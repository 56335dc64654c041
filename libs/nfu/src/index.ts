export { fitsFabric, type Nfu, NfuError, type NfuProblem, parseNfu, readNfu } from './code.ts'
export { createOp, keepsState, type Op } from './ops.ts'
export {
  isOp,
  OP_NAMES,
  OPS,
  type OpInfo,
  type OpName,
  type OpParameter,
  WIDEST_WINDOW,
} from './parameters.ts'
