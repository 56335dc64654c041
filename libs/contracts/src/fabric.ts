/** Bitstreams of the fabric. */
import { z } from 'zod'

const Hash = z.string().regex(/^[0-9a-f]{64}$/)
const FabricClock = z.strictObject({ name: z.string(), achievedMhz: z.number(), requiredMhz: z.number() })

/** The engines that a fabric may have. */
export const FabricEngine = z.enum(['distil', 'dispatch', 'rmem', 'rpc'])

/** A name of a parameter or a field: `engine.name`, or the name alone where one engine has it. */
const EngineName = z.string().regex(/^[A-Za-z]\w{0,39}(\.\w{1,40})?$/)

/** A bitstream to build. Parameters that are not named have their defaults; the job says what is wrong with one. */
export const NewFabricBuild = z.strictObject({
  engines: z.array(FabricEngine).min(1).default(['distil']),
  parameters: z.record(EngineName, z.number().int()).default({}),
  /** Seeds of place and route to try at most, from 1: until one meets the timing, and if none does, the best is packed. */
  seeds: z.number().int().min(1).max(16).default(5),
  /** Tries all of them, and packs the best. */
  sweep: z.boolean().default(false),
})

/** A hard parameter, as the generator exports it: another value needs another bitstream. */
export const FabricParameter = z.strictObject({
  /** The engine that has it, or `shell`: what every fabric has. */
  engine: z.string(),
  name: z.string(),
  default: z.number().int(),
  /** Every value it may take. */
  values: z.array(z.number().int()),
  unit: z.string(),
  /** The values in words. */
  limits: z.string(),
  doc: z.string(),
})

const Count = z.number().int().min(0)

/** That the tests of the hardware passed on this machine, from the sources that a build was generated from. */
export const FabricVerdict = z.strictObject({
  /** `quick`: fewer seeds, frames and planted bugs. */
  suite: z.enum(['quick', 'full']),
  passedAt: z.iso.datetime(),
  simulations: Count,
  proofs: Count,
  /** That the proofs caught; those of simulations are among the simulations. */
  plantedBugs: Count,
})

/** What is known of a build: equal inputs give an equal one, but for verdict and signature. */
export const FabricBuild = z.strictObject({
  format: z.literal(3),
  id: Hash,
  /** Hash of the Verilog, the pins and the tools, without the seeds; its first 32 bits are in the register BUILD. */
  design: Hash,
  /** Hash of the generator's sources. */
  generator: Hash,
  /** Absent where the tests of these sources have not passed on this machine. */
  verdict: FabricVerdict.optional(),
  /** sha-256 of the public key that signed it; absent for one that is not signed. */
  signedBy: Hash.optional(),
  engines: z.array(z.string()),
  device: z.string(),
  board: z.string(),
  /** By `engine.parameter`. */
  parameters: z.record(z.string(), z.number().int()),
  /** UUID of the register map. */
  interface: z.string(),
  registerMapHash: Hash,
  tools: z.record(z.string(), z.string()),
  seeds: z.array(
    z.strictObject({
      seed: z.number().int(),
      clocks: z.array(FabricClock),
      isTimingMet: z.boolean(),
      /** Why it was given up, without clocks: the router would not have come to its end. */
      problem: z.string().optional(),
    }),
  ),
  seed: z.number().int(),
  isTimingMet: z.boolean(),
  clocks: z.array(FabricClock),
  criticalPaths: z.array(
    z.strictObject({
      from: z.string(),
      to: z.string(),
      clock: z.string(),
      delayNs: z.number(),
      routingNs: z.number(),
    }),
  ),
  utilisation: z.array(z.strictObject({ resource: z.string(), used: z.number(), available: z.number() })),
  /** sha-256 of each file. */
  files: z.record(z.string(), Hash),
})

/** Where the parts of a build lie on the device, and how close the ends of its paths come to the clock. */
export const FabricFloorplan = z.strictObject({
  /** Tiles of the device across and down. */
  columns: Count,
  rows: Count,
  /** The shell and the engines, with the logic cells and block RAMs of each. */
  parts: z.array(z.strictObject({ name: z.string(), cells: Count, memories: Count })),
  /** Every tile with logic; its part is the index of the one with most of its cells. */
  tiles: z.array(z.strictObject({ x: Count, y: Count, part: Count, cells: Count })),
  /** Every block RAM. */
  memories: z.array(z.strictObject({ x: Count, y: Count, part: Count })),
  /** For each clock, how many ends of paths are reached how long after its edge. */
  arrivals: z.array(
    z.strictObject({
      clock: z.string(),
      /** What the clock leaves for a path, in ns. */
      requiredNs: z.number(),
      /** Width of a bin, in ns; the first begins at 0. */
      binNs: z.number(),
      counts: z.array(Count),
    }),
  ),
})

/** Readings of simulated sensors that a board is sent. */
export const FabricTraffic = z.strictObject({
  /** Of all sensors together. */
  readingsPerSecond: z.number().int().min(1).max(2000),
  sources: z.number().int().min(1).max(16).default(1),
})

/** A simulated board of the service: a process that runs the fabric cycle by cycle. */
export const FabricBoard = z.strictObject({
  id: z.string(),
  /** Id of the build that is loaded. */
  build: Hash,
  startedAt: z.iso.datetime(),
  /** Why its process has ended; absent while it runs. A load starts it again. */
  problem: z.string().optional(),
  /** What a network function on it takes, measured since the load; absent where the build has no engine distil. */
  distil: z
    .strictObject({
      /** Cycles from the end of a reading to the beginning of its summary. */
      cyclesPerItem: z.number().int(),
      clockMHz: z.number(),
      /** Devices for which it keeps a window. */
      places: z.number().int(),
    })
    .optional(),
  /** Id of the deployment that has a task on it. */
  deployment: z.string().optional(),
  /** Absent while nothing is sent. */
  traffic: FabricTraffic.required()
    .extend({
      /** Readings sent so far. */
      sent: z.number().int(),
      /** Values that came out so far: summaries, and readings that passed. */
      received: z.number().int(),
    })
    .optional(),
})

/** A board that starts with a build. */
export const NewFabricBoard = z.strictObject({ build: Hash })

/** A build for a board. */
export const NewFabricLoad = z.strictObject({
  build: Hash,
  /** Loads a build whose timing is not met. */
  allowUnmetTiming: z.boolean().default(false),
})

/** Values for soft registers, by the names of their fields. */
export const FabricSettings = z.record(EngineName, z.number().int().min(0).max(0xffff_ffff))

/** Registers of a board as read now, and what was changed. */
export const FabricRegisters = z.strictObject({
  registers: z.array(
    z.strictObject({
      engine: z.string(),
      name: z.string(),
      address: z.number().int(),
      doc: z.string(),
      fields: z.array(
        z.strictObject({
          name: z.string(),
          value: z.number().int(),
          /** Highest value it holds. */
          max: z.number().int(),
          /** It is a soft setting, which may be written. */
          isSoft: z.boolean(),
          doc: z.string(),
        }),
      ),
    }),
  ),
  /** The latest changes, newest first. */
  changes: z.array(z.strictObject({ at: z.iso.datetime(), settings: FabricSettings })),
})

/** The latest values that came out of a board under traffic, oldest first. */
export const FabricValues = z.array(
  z.strictObject({ at: z.number(), source: z.number().int(), value: z.number() }),
)
