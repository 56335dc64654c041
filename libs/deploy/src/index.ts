export * from './agents/index.ts'
export type { AgentConfig } from './agents.ts'
export { type Calls, type Cores, callsOf, profileWithCalls, type Shown, withCalls } from './calls.ts'
export {
  type BlobSource,
  type DataEndpoint,
  type DataEndpointOptions,
  dataHandler,
  startDataEndpoint,
} from './data-endpoint.ts'
export {
  type FunctionAnswer,
  FunctionClient,
  type FunctionEndpoint,
  type FunctionHandlers,
  type FunctionRequest,
} from './functions/client.ts'
export {
  type FunctionSpec,
  type FunctionStatus,
  LocalFunctions,
  type LocalFunctionsOptions,
} from './functions/local.ts'
export type { FunctionLogLine } from './functions/log-file.ts'
export type { FunctionHealth, FunctionRecord } from './functions/process.ts'
export { formatLink, LinkError, type LinkShape, parseLink } from './link.ts'
export { type LocalTargetOptions, localTarget } from './local.ts'
export { machineFleet, type OnThisMachine, onThisMachine } from './machine.ts'
export { type ProfileRequest, profileOf, profileWorkflow } from './profile.ts'
export { type Project, ProjectError, type ProjectFile, readProject } from './project.ts'
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
