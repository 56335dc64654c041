export { type DeviceAddress, interfaceOf } from './agents/device-door.ts'
export { type EnrolledAgent, hashOfToken } from './agents/enrolled.ts'
export { profileAlone } from './alone.ts'
export { type Calls, callsOf, profileWithCalls, withCalls } from './calls.ts'
export { FunctionClient, type FunctionEndpoint, type Rest } from './functions/client.ts'
export type { FunctionPlace } from './functions/hosting.ts'
export type { OtherBroker } from './hub.ts'
export { checkCluster, type Finding } from './knative/check.ts'
export { Cluster, type ClusterOptions } from './knative/cluster.ts'
export { ClusterError } from './knative/errors.ts'
export type { KnativeOptions } from './knative/hosting.ts'
export { accessOf, type ClusterAccess } from './knative/kubeconfig.ts'
export { type KnativeTargetOptions, knativePlace, knativeTarget } from './knative/target.ts'
export { RunLeftError } from './leaving.ts'
export { formatLink, LinkError, type LinkShape, parseLink } from './link.ts'
export { localTarget } from './local/target.ts'
export { machineFleet, type OnThisMachine, onThisMachine } from './machine.ts'
export type { ObjectChange } from './object-change.ts'
export { type ProfileRequest, profileOf, profileWorkflow } from './profile.ts'
export { type Project, ProjectError, type ProjectFile, readProject } from './project.ts'
export { openTarget, TARGET_KINDS, type TargetKind } from './settings.ts'
export type { Cores, Shown } from './streams.ts'
export type { TargetOptions } from './target.ts'
export { type CanaryOptions, TrialError } from './trial.ts'
export {
  type ApplyOptions,
  anyDevices,
  type Change,
  type Deployment,
  type DeploymentPlan,
  type DeploymentRecord,
  type DeploymentSpec,
  type DeploymentStatus,
  type DeviceSpec,
  type EarlierLife,
  type FleetDevice,
  type ItemSent,
  type ResourceStatus,
  type RunOptions,
  type Target,
} from './types.ts'
