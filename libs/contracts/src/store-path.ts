import { z } from 'zod'

/** A pool, a key or a prefix: `/` and components, such as `/factory/images/7`. */
export const StorePath = z
  .string()
  .max(1024)
  .regex(/^(\/[^/]+)+$/, "must look like '/factory/images/7'")
