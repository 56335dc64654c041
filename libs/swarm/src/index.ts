export {
  assumedProfile,
  completeProfile,
  emitsStream,
  inputBytesOf,
  itemsPerDeviceOf,
  rateOf,
} from './assume.ts'
export { constant, fromSamples, momentsOf, quantileOf, withMean } from './distribution.ts'
export type { Cloud, DeviceClass, Fleet, HandOver, HandOverKind, Host, Link, Source } from './fleet.ts'
export { deviceClasses, deviceCount, fleetByName, fleets, localFleet, withDevices } from './fleets.ts'
export { handOversOf, isDeployable, withHandOver } from './hand-over.ts'
export { ProfileError, parseProfile } from './parse.ts'
export type {
  Breakdown,
  Candidate,
  Estimate,
  Exploration,
  Placement,
  Proof,
  Pruned,
  Tier,
  Violation,
} from './placement.ts'
export type { Distribution, Profile, TaskProfile, TierProfile } from './profile.ts'
