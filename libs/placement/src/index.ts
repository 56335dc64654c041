export {
  type AdditiveFront,
  type AdditiveProblem,
  additiveProblem,
  type EdgeFigures,
  exactFront,
  type FrontOptions,
  frontSteps,
  type TaskFigures,
} from './exact/index.ts'
export { type Cancellation, type EvaluateInput, type ExploreInput, evaluate, explore } from './explore.ts'
export { checkPlacement, tiersOf } from './rules.ts'
