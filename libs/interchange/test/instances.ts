/** Small instances of our own making, one workflow written in each version of the WfCommons schema. */

export interface Step {
  id: string
  name?: string
  parents?: string[]
  children?: string[]
  reads?: string[]
  writes?: string[]
  /** Seconds. */
  runtime?: number
  machine?: string
  cores?: number
}

export interface Sketch {
  name?: string
  steps: Step[]
  /** Bytes of each file. */
  files?: Record<string, number>
  /** MHz of each machine. */
  machines?: Record<string, number>
}

export type Version = '1.3' | '1.4' | '1.5'
export const VERSIONS: readonly Version[] = ['1.3', '1.4', '1.5']

const lit = <T>(key: string, value: T | undefined) => (value === undefined ? {} : { [key]: value })

/** The sketch as a document of the given version. */
export function instanceOf(sketch: Sketch, version: Version): Record<string, unknown> {
  const { name = 'orchard', steps, files = {}, machines } = sketch
  const head = { name, schemaVersion: version }
  const clocks = Object.entries(machines ?? {}).map(([nodeName, mhz]) => ({
    nodeName,
    cpu: version === '1.5' ? { coreCount: 4, speedInMHz: mhz } : { count: 4, speed: mhz },
  }))
  if (version === '1.5')
    return {
      ...head,
      workflow: {
        specification: {
          tasks: steps.map(({ id, name: label = id, parents = [], children = [], reads, writes }) => ({
            name: label,
            id,
            parents,
            children,
            ...lit('inputFiles', reads),
            ...lit('outputFiles', writes),
          })),
          files: Object.entries(files).map(([id, sizeInBytes]) => ({ id, sizeInBytes })),
        },
        execution: {
          makespanInSeconds: 1,
          executedAt: '2026-01-01T00:00:00Z',
          tasks: steps.map(({ id, runtime, machine, cores }) => ({
            id,
            ...lit('runtimeInSeconds', runtime),
            ...lit('machines', machine === undefined ? undefined : [machine]),
            ...lit('coreCount', cores),
          })),
          ...lit('machines', machines && clocks),
        },
      },
    }
  const old = version === '1.3'
  return {
    ...head,
    workflow: {
      [old ? 'makespan' : 'makespanInSeconds']: 1,
      executedAt: '2026-01-01T00:00:00Z',
      ...lit('machines', machines && clocks),
      tasks: steps.map(
        ({ id, parents = [], children, reads = [], writes = [], runtime, machine, cores }) => ({
          name: id,
          type: 'compute',
          parents,
          ...lit('children', children),
          files: [...reads.map((file) => [file, 'input']), ...writes.map((file) => [file, 'output'])].map(
            ([file = '', link]) => ({
              name: file,
              link,
              ...lit(old ? 'size' : 'sizeInBytes', files[file]),
            }),
          ),
          ...lit(old ? 'runtime' : 'runtimeInSeconds', runtime),
          ...lit('machine', machine),
          ...lit('cores', cores),
        }),
      ),
    },
  }
}

/** Picks fruit on two sides, sorts both, weighs all. */
export const ORCHARD: Sketch = {
  steps: [
    { id: 'pick_east', reads: ['map.txt'], writes: ['east.bin'], runtime: 2, machine: 'barn' },
    { id: 'pick_west', writes: ['west.bin'], runtime: 3, machine: 'barn' },
    {
      id: 'sort',
      parents: ['pick_east', 'pick_west'],
      reads: ['east.bin', 'west.bin'],
      writes: ['sorted.bin', 'waste.bin'],
      runtime: 0.5,
      machine: 'shed',
    },
    {
      id: 'weigh',
      parents: ['sort'],
      reads: ['sorted.bin'],
      writes: ['report.txt'],
      runtime: 0,
      machine: 'shed',
    },
    { id: 'lock_up', parents: ['weigh'], runtime: 1, machine: 'shed' },
  ],
  files: {
    'map.txt': 1000,
    'east.bin': 2_000_000,
    'west.bin': 3_000_000,
    'sorted.bin': 4_500_000,
    'waste.bin': 500_000,
    'report.txt': 80,
  },
  machines: { barn: 1200, shed: 4800 },
}
