/** Access keys of the store: secrets for programs that may use a part of the store, and nothing else of the service. */
import { z } from 'zod'
import { StorePath } from './store-path.ts'

/** Name of an access key: 1 to 40 small letters, digits and hyphens. */
export const AccessKeyName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,39}$/, "use small letters, digits and '-', at most 40, as in 'camera-7'")

/** What a key may do under a prefix. */
export const Access = z.enum(['read', 'read-write'])

/** What a key may do with the paths that a prefix holds. */
export const Grant = z.strictObject({ prefix: StorePath, access: Access })

/** An access key to make. */
export const NewAccessKey = z.strictObject({
  name: AccessKeyName,
  grants: z.array(Grant).min(1).max(50),
  /** From when on it is refused; never when absent. */
  expiresAt: z.iso.datetime().optional(),
})

/** An access key, without its secret. */
export const AccessKey = z.strictObject({
  name: AccessKeyName,
  grants: z.array(Grant),
  expiresAt: z.iso.datetime().optional(),
  /** Its time is over: it is refused. */
  expired: z.boolean(),
  createdAt: z.iso.datetime(),
})

/** An access key with its secret, which is told this once. */
export const AccessKeyWithSecret = z.strictObject({
  ...AccessKey.shape,
  /** What a program sends: `hmk_NAME_SECRET`. The service keeps only a hash of it. */
  secret: z.string(),
})
