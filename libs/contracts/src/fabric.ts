/** Bitstreams of the fabric. */
import { z } from 'zod'

const Hash = z.string().regex(/^[0-9a-f]{64}$/)
const FabricClock = z.strictObject({ name: z.string(), achievedMhz: z.number(), requiredMhz: z.number() })

/** A bitstream to build. Parameters that are not named have their defaults; the job says what is wrong with one. */
export const NewFabricBuild = z.strictObject({
  parameters: z.record(z.string().regex(/^[A-Za-z]\w{0,39}$/), z.number().int()).default({}),
  /** Seeds of place and route to try, from 1; the result with the best timing is packed. */
  seeds: z.number().int().min(1).max(16).default(1),
})

/** A hard parameter, as the generator exports it: another value needs another bitstream. */
export const FabricParameter = z.strictObject({
  name: z.string(),
  default: z.number().int(),
  /** Every value it may take. */
  values: z.array(z.number().int()),
  unit: z.string(),
  /** The values in words. */
  limits: z.string(),
  doc: z.string(),
})

/** What is known of a build: equal inputs give an equal one. */
export const FabricBuild = z.strictObject({
  format: z.literal(1),
  id: Hash,
  /** Hash of all inputs but the seeds; its first 32 bits are in the register BUILD. */
  design: Hash,
  engine: z.string(),
  device: z.string(),
  board: z.string(),
  parameters: z.record(z.string(), z.number().int()),
  /** UUID of the register map. */
  interface: z.string(),
  registerMapHash: Hash,
  tools: z.record(z.string(), z.string()),
  seeds: z.array(
    z.strictObject({ seed: z.number().int(), clocks: z.array(FabricClock), isTimingMet: z.boolean() }),
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
