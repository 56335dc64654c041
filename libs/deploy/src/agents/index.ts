export { type BlobSink, desiredDeployment } from './desired.ts'
export {
  type Credential,
  type DeviceState,
  type DeviceView,
  type EnrolledDevice,
  Inventory,
  type InventoryOptions,
} from './inventory.ts'
export { Liveness, type LivenessOptions } from './liveness.ts'
export {
  LocalAgents,
  type LocalAgentsEvents,
  type LocalAgentsOptions,
  type LocalDevice,
} from './local-agents.ts'
export { type ProcessCommand, type ProcessRecord, Supervisor, type SupervisorOptions } from './supervisor.ts'
