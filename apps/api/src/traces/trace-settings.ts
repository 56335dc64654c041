/** Where traces go, by the variables that OpenTelemetry has for it. */
import { keyValueList, type TraceResource, traceResource } from '@hivemind/orchestrator'
import { StartError } from '../common/start-error.ts'

export interface TraceSettings {
  /** Address that takes OTLP over HTTP; nothing is sent when absent. */
  url?: string
  /** Headers of each request, such as a token. */
  headers: Record<string, string>
  resource: TraceResource
}

/**
 * Reads `OTEL_EXPORTER_OTLP_ENDPOINT`, `OTEL_EXPORTER_OTLP_HEADERS`, `OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES`.
 * Throws `StartError`.
 */
export function traceSettings(env: NodeJS.ProcessEnv): TraceSettings {
  const endpoint = env.OTEL_EXPORTER_OTLP_ENDPOINT || undefined
  if (endpoint !== undefined && !(URL.canParse(endpoint) && /^https?:/.test(endpoint)))
    throw new StartError(
      `OTEL_EXPORTER_OTLP_ENDPOINT is '${endpoint}': give the URL of a collector that takes OTLP over HTTP, such as http://127.0.0.1:4318.`,
    )
  try {
    return {
      ...(endpoint !== undefined && { url: `${endpoint.replace(/\/+$/, '')}/v1/traces` }),
      headers: keyValueList('OTEL_EXPORTER_OTLP_HEADERS', env.OTEL_EXPORTER_OTLP_HEADERS),
      resource: traceResource(env),
    }
  } catch (error) {
    throw new StartError((error as Error).message)
  }
}
