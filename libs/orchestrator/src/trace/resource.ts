/** What OpenTelemetry's own variables say about who makes a trace. */

/** Name of the service, and what every span says of where it is from. */
export interface TraceResource {
  serviceName: string
  attributes: Readonly<Record<string, string>>
}

/**
 * Reads `OTEL_SERVICE_NAME` (`hivemind` when unset) and `OTEL_RESOURCE_ATTRIBUTES`.
 * Throws an `Error` with a sentence when the attributes cannot be read.
 */
export function traceResource(env: Readonly<Record<string, string | undefined>>): TraceResource {
  const { 'service.name': named, ...attributes } = keyValueList(
    'OTEL_RESOURCE_ATTRIBUTES',
    env.OTEL_RESOURCE_ATTRIBUTES,
  )
  return { serviceName: env.OTEL_SERVICE_NAME || named || 'hivemind', attributes }
}

/**
 * Reads a list such as `a=1,b=2`, whose values are in percent encoding. Throws an `Error` that names the variable.
 * https://opentelemetry.io/docs/specs/otel/protocol/exporter/
 */
export function keyValueList(variable: string, text: string | undefined): Record<string, string> {
  const pairs = (text ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf('=')
      const key = pair.slice(0, at).trim()
      try {
        if (at < 1 || key === '') throw new Error('no key')
        return [key, decodeURIComponent(pair.slice(at + 1).trim())]
      } catch {
        throw new Error(
          `${variable} cannot be read: give pairs such as a=1,b=2, with other characters in percent encoding.`,
        )
      }
    }),
  )
}
