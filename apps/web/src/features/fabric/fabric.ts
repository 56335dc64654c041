/** Rules and texts of the Fabric screen. */
import type { FabricBuild, FabricParameter, JobRecord } from '../../api/types.ts'

/** What is wrong with the text of a parameter; `undefined` when it may be built, and for an empty one, which has its default. */
export function parameterProblem({ values, limits }: FabricParameter, text: string): string | undefined {
  const isAllowed = text.trim() === '' || (/^\s*\d{1,9}\s*$/.test(text) && values.includes(Number(text)))
  return isAllowed ? undefined : `It must be ${limits}.`
}

/** The parameters that have a text, as numbers. */
export const settingsOf = (draft: Record<string, string>): Record<string, number> =>
  Object.fromEntries(
    Object.entries(draft).flatMap(([name, text]) => (text.trim() === '' ? [] : [[name, Number(text)]])),
  )

/** Whether a job may still change. */
export const isActive = ({ job }: JobRecord): boolean => job.state === 'queued' || job.state === 'running'

/** The slowest clock against what it needs. */
export function marginOf({ clocks }: FabricBuild): { achievedMhz: number; requiredMhz: number } | undefined {
  const slack = (clock: FabricBuild['clocks'][number]) => clock.achievedMhz / clock.requiredMhz
  return clocks.toSorted((a, b) => slack(a) - slack(b))[0]
}

/** The resources that a build uses, the fullest first. */
export const usedResources = ({ utilisation }: FabricBuild): FabricBuild['utilisation'] =>
  utilisation
    .filter(({ used, available }) => used > 0 && available > 0)
    .toSorted((a, b) => b.used / b.available - a.used / a.available)
