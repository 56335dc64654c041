export { type EdgeCost, edgeCosts } from './edge-costs.ts'
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
export {
  type Change,
  type Changes,
  changesOf,
  type ExplainInput,
  type Explanation,
  explain,
  longestTasks,
  type Move,
} from './explain.ts'
export { evaluate, evaluateModel, explore } from './explore.ts'
export type { Cancellation, EvaluateInput, ExploreInput, FrontSoFar } from './input.ts'
export { frontOf, OBJECTIVES, type Objective, objectivesOf } from './pareto.ts'
export {
  type Regret,
  type RobustCandidate,
  type RobustInput,
  type Robustness,
  robust,
  robustSteps,
} from './robust.ts'
export { checkPlacement, tiersOf } from './rules.ts'
export {
  type Crossover,
  crossovers,
  type Knob,
  limits,
  type SensitivityInput,
  type Swing,
  tornado,
  turned,
} from './sensitivity.ts'
export {
  nodeThreads,
  type OpenThread,
  type Simulating,
  type SimulationAnswer,
  type SimulationJob,
  type SimulationRequest,
  type SimulationThread,
  type Simulators,
  simulateInThreads,
  simulationThread,
} from './simulators.ts'
