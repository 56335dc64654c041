export { frontRows } from './dominance.ts'
export { type AdditiveFront, exactFront, type FrontOptions, frontSteps } from './front.ts'
export { type AdditiveProblem, additiveProblem, type EdgeFigures, type TaskFigures } from './problem.ts'
