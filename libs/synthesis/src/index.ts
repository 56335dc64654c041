export { agentService, dataFunction, edgeApi, gatewayService, taskFunction } from './api.ts'
export type { SourceFile } from './bundles.ts'
export { containersOf, followersOf } from './co-placement.ts'
export {
  edgeNodeTasks,
  edgeTasks,
  fabricTasks,
  functionTasks,
  isEntered,
  isKept,
  isPassingPool,
  leavesDevice,
  outsideData,
  passingPoolOf,
  poolOf,
  runOfPool,
  wiredParents,
} from './edges.ts'
export { SynthesisError } from './error.ts'
export { isCode, mentionsIn } from './mentions.ts'
export type {
  Artefact,
  Bundle,
  NodeRedNode,
  Plan,
  PlanLink,
  PlanTask,
  Runtime,
  Synthesis,
} from './plan.ts'
export { type SynthesisRequest, synthesise } from './synthesise.ts'
