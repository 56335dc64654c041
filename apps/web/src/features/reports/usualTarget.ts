import { api } from '../../api/client.ts'
import { useLoad } from '../../api/useLoad.ts'

const NAMES: Record<string, string> = { local: 'this machine', knative: 'Knative' }

/** What the usual target of the service is called. */
export function useUsualTarget(): string {
  const health = useLoad((signal) => api.health(signal), [])
  return NAMES[health.data?.target ?? ''] ?? 'the usual target'
}
