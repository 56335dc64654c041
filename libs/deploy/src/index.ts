export type {
  Deployment,
  DeploymentDiff,
  DeploymentSpec,
  DeploymentStatus,
  ResourceStatus,
  RunOptions,
  Target,
} from './types.ts'
