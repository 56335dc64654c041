/** Pools and objects of the store, as the API gives them. Timestamps are microseconds since 1970. */
import { z } from 'zod'
import { Access, AccessKeyName } from './access-keys.ts'
import { StorePath } from './store-path.ts'

export { StorePath } from './store-path.ts'

const count = () => z.number().int().min(0)

/** Which versions of a key are kept: how many, and for how many ms after a newer one replaced it. */
export const StoreRetention = z.strictObject({
  versions: z.number().int().min(1).optional(),
  ageMs: z.number().min(0).optional(),
})

/** What becomes of the objects of a pool. */
export const StorePersistence = z.enum(['transient', 'volatile', 'buffered', 'persistent'])

/** A pool to create; an equal one that is there already is answered. */
export const NewStorePool = z.strictObject({
  path: StorePath,
  persistence: StorePersistence.default('persistent'),
  retention: StoreRetention.optional(),
  /** Pools with the same affinity lie on the same server of a Redis cluster. */
  affinity: z.string().max(100).optional(),
})

/** A pool of the store. */
export const StorePool = z.strictObject({
  path: z.string(),
  persistence: StorePersistence,
  retention: StoreRetention,
  affinity: z.string().optional(),
  created: count(),
  /** It belongs to a run: it can be read, but not be changed or removed. */
  ofRun: z.boolean(),
  /** What access keys may do in it; absent when an access key asks. */
  accessKeys: z
    .array(
      z.strictObject({
        name: AccessKeyName,
        /** Where in the pool: its path, or a prefix inside it. */
        prefix: z.string(),
        access: Access,
      }),
    )
    .optional(),
})

/** One version of an object, without its bytes. */
export const StoreObject = z.strictObject({
  key: z.string(),
  /** Counts the writes to the pool. */
  version: count(),
  timestamp: z.number(),
  /** Version of the write to the pool before this one; 0 for the first. */
  previousVersion: count(),
  /** Version of the write to the same key before this one; 0 for the first. */
  previousKeyVersion: count(),
  /** Counts the writes to this key. */
  ordinal: count(),
  /** This version says that the object was removed. */
  removed: z.boolean(),
  /** Media type. */
  type: z.string(),
  /** Size in bytes. */
  size: count(),
})

/** Objects of a pool by page. */
export const StoreObjectPage = z.strictObject({
  objects: z.array(StoreObject),
  /** How many there are on all pages. */
  total: count(),
  /** Key to ask for the next page with, when there is one. */
  next: z.string().optional(),
})

/** An object as JSON can show it: CBOR and JSON by value, other bytes as base64, cut at 64 kB. */
export const StorePreview = z.strictObject({
  object: StoreObject,
  /** Absent when the object is too large to be shown. */
  preview: z.unknown().optional(),
})

/** A topic, such as `/cms/topics/alarms`, to create; an equal one that is there already is answered. */
export const NewStoreTopic = z.strictObject({
  path: StorePath,
  persistence: z.enum(['volatile', 'buffered', 'persistent']).default('volatile'),
  /** When absent, a volatile topic keeps 1,000 messages, others keep all. */
  retention: StoreRetention.optional(),
})

/** A message of a topic, as an event of a subscription. */
export const StoreMessage = z.strictObject({
  topic: z.string(),
  /** Grows with each message of the topic: the version of its object. */
  offset: count(),
  timestamp: z.number(),
  /** Media type. */
  type: z.string(),
  /** Size in bytes. */
  size: count(),
  /** The bytes as base64; absent above 1 MB: then read the object of the topic at this version. */
  bytes: z.string().optional(),
})
