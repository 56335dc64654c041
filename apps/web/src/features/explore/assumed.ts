import type { Profile } from '../../api/types.ts'

/** Names of a profile's tasks that nobody has measured, in its order. */
export const assumedTasks = (profile: Profile): string[] =>
  Object.entries(profile.tasks).flatMap(([task, { origin }]) => (origin === 'assumed' ? [task] : []))
