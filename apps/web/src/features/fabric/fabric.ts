/** Rules and texts of the Fabric screen. */
import type { FabricBuild, FabricParameter, FabricRegisters, JobRecord } from '../../api/types.ts'

/** What is wrong with the text of a parameter; `undefined` when it may be built, and for an empty one, which has its default. */
export function parameterProblem({ values, limits }: FabricParameter, text: string): string | undefined {
  const isAllowed = text.trim() === '' || (/^\s*\d{1,9}\s*$/.test(text) && values.includes(Number(text)))
  return isAllowed ? undefined : `It must be ${limits}.`
}

/** The name of a parameter or a field among those of all engines. */
export const keyOf = ({ engine, name }: { engine: string; name: string }): string => `${engine}.${name}`

/** The engines of a fabric, and what each does. */
export const ENGINES = {
  distil: 'averages sensor readings',
  dispatch: 'sends requests to workers',
  rmem: 'remote memory',
  rpc: 'RPCs in rings of the memory of rmem',
} as const
export type Engine = keyof typeof ENGINES

/** The parameters that a fabric of these engines has: theirs, and those of the shell that serve one of them. */
export const parametersOf = (schema: FabricParameter[], engines: Engine[]): FabricParameter[] =>
  schema.filter(({ engine }) =>
    engine === 'shell' ? engines.includes('rmem') : engines.some((each) => each === engine),
  )

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

/** What the tests of the hardware said of the sources of a build. */
export function testsOf({ verdict }: FabricBuild): string {
  if (!verdict) return 'The sources of this build have not passed the tests of the hardware on this machine.'
  const { suite, passedAt, simulations, proofs, plantedBugs } = verdict
  return `The ${suite} tests of its sources passed on ${passedAt.slice(0, 10)}: ${simulations} simulations, ${proofs} proofs; ${plantedBugs} planted bugs were caught.`
}

/** Who signed a build. */
export const signedBy = ({ signedBy: key }: FabricBuild): string =>
  key === undefined ? 'It is not signed.' : `Signed by the key ${key.slice(0, 16)}.`

/** A build in a list to choose from. */
export const buildLabel = ({ id, engines, isTimingMet }: FabricBuild): string =>
  `${id.slice(0, 8)}, ${engines.join(', ')}${isTimingMet ? '' : ', timing not met'}`

/** What a job of the Fabric screen does. */
export function jobTitle({ kind, request }: JobRecord): string {
  if (kind === 'fabric') return 'Build'
  const { board, build } = request as { board?: string; build: string }
  return board ? `Load ${build.slice(0, 8)} on ${board}` : `Start a board with ${build.slice(0, 8)}`
}

export type RegisterField = FabricRegisters['registers'][number]['fields'][number] & { engine: string }

/** The soft settings, and all other fields. */
export function fieldsOf({ registers }: FabricRegisters): { soft: RegisterField[]; read: RegisterField[] } {
  const all = registers.flatMap(({ engine, doc, fields }) =>
    fields.map((field) => ({ ...field, engine, doc: field.isSoft ? field.doc : doc })),
  )
  return { soft: all.filter(({ isSoft }) => isSoft), read: all.filter(({ isSoft }) => !isSoft) }
}

/** What is wrong with the text of a soft setting; `undefined` for an empty one, which stays as it is. */
export function settingProblem({ max }: RegisterField, text: string): string | undefined {
  const isAllowed = text.trim() === '' || (/^\s*\d{1,10}\s*$/.test(text) && Number(text) <= max)
  return isAllowed ? undefined : `It must be a whole number from 0 to ${max.toLocaleString('en-GB')}.`
}
