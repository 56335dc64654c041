/** Where figures of shipped fleets are from. */
import type { Source } from './fleet.ts'

/** What a section of the HiveMind paper says. */
export const paper = (what: string, section: string): Source => ({
  what,
  from: `HiveMind paper, section ${section}`,
})

/** An assumption, with the range in which it is plausible. */
export const assumed = (what: string, range: string): Source => ({
  what,
  from: `assumption, plausible range ${range}`,
})
