export { type Cancellation, type EvaluateInput, type ExploreInput, evaluate, explore } from './explore.ts'
export { checkPlacement, tiersOf } from './rules.ts'
