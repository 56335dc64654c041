export type {
  Artefact,
  Bundle,
  NodeRedNode,
  Plan,
  PlanLink,
  PlanTask,
  Runtime,
  Scope,
  Synthesis,
} from './plan.ts'
