export type { Cloud, DeviceClass, Fleet, Link, Source } from './fleet.ts'
export type {
  Breakdown,
  Candidate,
  Estimate,
  Exploration,
  Placement,
  Pruned,
  Tier,
  Violation,
} from './placement.ts'
export type { Distribution, Profile, TaskProfile, TierProfile } from './profile.ts'
