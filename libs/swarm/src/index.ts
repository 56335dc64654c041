export {
  assumedProfile,
  completeProfile,
  emitsStream,
  inputBytesOf,
  itemsPerDeviceOf,
  rateOf,
  SENSOR_COLUMN,
} from './assume.ts'
export {
  figuresOf,
  type Margin,
  marginsOf,
  type RunFigures,
  type Unknown,
  verdictOf,
  verdictWord,
  violationsOf,
} from './constraints.ts'
export { constant, fromSamples, momentsOf, quantileOf, withMean } from './distribution.ts'
export {
  edgeNodeFaults,
  edgeNodesNamed,
  isPinnedToNodes,
  matchesTarget,
  nodeServing,
  nodesOfDevices,
  pinsToEdgeNodes,
  servesClass,
  withNodesInCloud,
} from './edge-nodes.ts'
export { type BoardFigures, withBoards } from './fabric.ts'
export { type Fault, faultsOf, rangeRule, schemaAt } from './faults.ts'
export type {
  Cloud,
  DeviceClass,
  EdgeNodeLink,
  EdgeNodes,
  Fabric,
  Fleet,
  HandOver,
  HandOverKind,
  Host,
  Link,
  Source,
} from './fleet.ts'
export {
  FLEET_FILE_ENDING,
  FleetError,
  fleetFaults,
  fleetFile,
  fleetNameFault,
  fleetSchema,
  MAX_DEVICES,
  parseFleet,
} from './fleet-schema.ts'
export {
  deviceClasses,
  deviceClassesOf,
  deviceCount,
  edgeNodesOf,
  fleetByName,
  fleets,
  localFleet,
  withDevices,
  withEdgeNodes,
} from './fleets.ts'
export {
  DEPLOYABLE_HAND_OVERS,
  type DeployableHandOver,
  handOversOf,
  isDeployable,
  withHandOver,
} from './hand-over.ts'
export {
  itemsOnTheWay,
  MAX_BYTES_IN_A_MESSAGE,
  MAX_BYTES_ON_THE_WAY,
  MAX_ITEMS_ON_THE_WAY,
  MAX_READY_ON_DEVICE,
} from './on-the-way.ts'
export { ProfileError, parseProfile } from './parse.ts'
export type {
  Breakdown,
  Candidate,
  Estimate,
  Exploration,
  Placement,
  Proof,
  Pruned,
  Violation,
} from './placement.ts'
export {
  columnOf,
  type Distribution,
  mapColumns,
  PROFILE_COLUMNS,
  type Profile,
  type ProfileColumn,
  type TaskProfile,
  type TierProfile,
} from './profile.ts'
export {
  breakdownSchema,
  constraintResultSchema,
  deviceEventSchema,
  logLineSchema,
  runEventSchema,
  runOutputSchema,
  runStateSchema,
  runSummarySchema,
  spanSchema,
  taskStateSchema,
  taskStatisticsSchema,
  tierSchema,
} from './run-records.ts'
export {
  type Field,
  type Fields,
  type FlatField,
  flatFieldsOf,
  type Quantity,
  type Schema,
  type TypeOf,
} from './schema.ts'
export type { TaskFacts, TierRule } from './tier-rules.ts'
export {
  canRun,
  estimatedTiers,
  isTier,
  pinnedTier,
  type Refusal,
  TIER_IDS,
  TIERS,
  type Tier,
  type TierRow,
  TRANSPORTS,
  type Transport,
  type TransportRow,
  taskFacts,
  tierIds,
  tierRow,
  tiersIn,
  transportBetween,
} from './tiers.ts'
export {
  batteryShareOf,
  chargedIdleMs,
  costOf,
  energyOf,
  type PowerFigures,
  powerFiguresOf,
  pricePerCoreMs,
  type Use,
} from './usage.ts'
