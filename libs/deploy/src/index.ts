export type { AgentConfig } from './agents.ts'
export { formatLink, LinkError, type LinkShape, parseLink } from './link.ts'
export { type LocalTargetOptions, localTarget } from './local.ts'
export { type ProfileRequest, profileOf, profileWorkflow } from './profile.ts'
export { type Project, ProjectError, type ProjectFile, readProject } from './project.ts'
export { RETRANSMIT_MS } from './shaping.ts'
export type {
  Deployment,
  DeploymentDiff,
  DeploymentSpec,
  DeploymentStatus,
  ItemSent,
  ResourceStatus,
  RunOptions,
  Target,
} from './types.ts'
