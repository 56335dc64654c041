/** What lambdas return, and where it is put. */
import type { Destination, LambdaResult, LambdaStore } from '../contract.ts'
import { LambdaError } from '../errors.ts'

/** Media type of bytes without any. Not imported, as it would make isolated lambdas start later. */
const OCTETS = 'application/octet-stream'

/** The results that a lambda has returned, as plain data. Throws `LambdaError` when they are none. */
export function resultsOf(returned: unknown): LambdaResult[] {
  if (returned === undefined || returned === null) return []
  if (returned instanceof Uint8Array) return [{ type: OCTETS, bytes: returned }]
  return Array.isArray(returned) ? returned.map(resultOf) : [resultOf(returned)]
}

function resultOf(value: unknown): LambdaResult {
  const { type, bytes, key } = (value ?? {}) as Partial<LambdaResult>
  if (typeof type !== 'string' || !(bytes instanceof Uint8Array))
    throw new LambdaError(
      `The lambda has destinations, and returned ${describe(value)}: return { type, bytes }, bytes, an array of these, or nothing.`,
    )
  if (key === undefined) return { type, bytes }
  if (typeof key !== 'string')
    throw new LambdaError(
      `The lambda returned a result whose key is ${describe(key)}: give a text such as '7'.`,
    )
  return { type, bytes, key }
}

const describe = (value: unknown): string =>
  typeof value === 'object' && value !== null
    ? `an object with ${Object.keys(value).slice(0, 5).join(', ') || 'no fields'}`
    : `${typeof value} ${String(value).slice(0, 40)}`

/**
 * Puts results to all destinations of a lambda.
 * @param below the key of the object below the prefix of the lambda: empty or beginning with `/`
 */
export async function putResults(
  store: LambdaStore,
  results: readonly LambdaResult[],
  below: string,
  destinations: readonly Destination[],
): Promise<void> {
  await Promise.all(
    results.flatMap(({ key, ...value }) =>
      destinations.map(({ path, by }): Promise<unknown> => {
        const to = path + (key === undefined ? below : `/${key}`)
        return by === 'put' ? store.put(to, value) : store.triggerPut(to, value)
      }),
    ),
  )
}
