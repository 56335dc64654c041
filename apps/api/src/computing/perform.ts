/** Work whose length depends on what users write. Pure but for looking up files: it runs in the service's thread or in one of its own. */
import type { Calls } from '@hivemind/deploy'
import type { CheckResult } from '@hivemind/dsl'
import type { Estimate, Fabric, HandOverKind, Placement, Profile } from '@hivemind/swarm'
import type { Workflow } from '@hivemind/workflow'
import { existsBelow } from '../storage/project-path.ts'

/** A text to be checked. */
export interface CheckWork {
  text: string
  /** Names of device classes and edge nodes that it may place tasks on. */
  names: { deviceClasses: string[]; edgeNodes: string[] }
  /** The files it may name: those below a folder, or of a list; they are not looked up when absent. */
  files?: { dir: string } | { paths: string[] }
}

/** A placement on the local target to be estimated. */
export interface EstimateWork {
  given: {
    workflow: Workflow
    placement: Placement
    profile?: Profile
    itemsPerDevice?: number
    fabric?: Fabric
    handOver?: HandOverKind
  }
  devices: number
  seed: number
  calls?: Calls
}

/** Kinds of work: what each takes, and gives. */
export interface Works {
  check: [CheckWork, CheckResult]
  estimate: [EstimateWork, Estimate]
}

/** How each kind is done. A thread of its own loads only what its work needs. */
export const perform: { [K in keyof Works]: (work: Works[K][0]) => Promise<Works[K][1]> } = {
  check: async ({ text, names, files }) => {
    const { check } = await import('@hivemind/dsl')
    if (!files) return check(text, names)
    if ('dir' in files) return check(text, { ...names, fileExists: (file) => existsBelow(files.dir, file) })
    const paths = new Set(files.paths)
    return check(text, { ...names, fileExists: (file) => paths.has(file) })
  },
  estimate: async ({ given, devices, seed, calls }) => {
    const [{ onThisMachine }, { evaluateModel }] = await Promise.all([
      import('@hivemind/deploy'),
      import('@hivemind/placement'),
    ])
    return evaluateModel(onThisMachine(given, devices, undefined, calls).model, seed)
  },
}
