/** What the contract says of one route. */
import type { z } from 'zod'

/** What an access key needs to use a route of the store. */
export interface KeyNeed {
  right: 'read' | 'write'
  /** The parameter of the query, or the field of the body, that names the path which the right must hold. */
  at: string
  /** The answer leaves out what the key does not reach, instead of a refusal of wider paths. */
  filtered?: true
}

/** A route of the HTTP API: its method and path, what it takes and what it answers. */
export interface Route {
  method: 'get' | 'post' | 'put' | 'patch' | 'delete'
  /** With `{name}` parameters. */
  path: string
  summary: string
  query?: z.ZodType
  body?: z.ZodType
  /** Its body is bytes of any size, as `application/octet-stream`. */
  binary?: true
  /** Schema of a JSON answer; `null` for 204; a string names another media type. */
  answer: z.ZodType | null | string
  /** Further media types it may answer with. */
  alsoAnswers?: string[]
  /** True when it answers without signing in, also where a password is set. */
  open?: true
  /** What an access key needs to use it. Closed to every access key when absent. */
  accessKey?: KeyNeed
  /** True when its body may also come from a form of a page (`application/x-www-form-urlencoded`). */
  form?: true
  status: 200 | 201 | 202 | 204
}

/** A row of the table, with its exact type. */
export const route = <const R extends Route>(route: R): R => route
