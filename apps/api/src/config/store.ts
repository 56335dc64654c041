/** The settings of where the store is. */
import type { RedisStoreOptions } from '@hivemind/store'
import { StartError } from '../common/start-error.ts'
import { certificateIn } from './certificate.ts'

const PROTOCOLS = ['redis:', 'rediss:']
const MAX_REPLICAS = 16

/** A Redis server or cluster that keeps the store; nothing without a URL. Throws `StartError`. */
export function redisOf({
  url,
  replicas: replicasText = '0',
  caFile,
}: Partial<Record<'url' | 'replicas' | 'caFile', string | undefined>>): { redis?: RedisStoreOptions } {
  const replicas = Number(replicasText)
  if (!/^\d+$/.test(replicasText) || replicas > MAX_REPLICAS)
    throw new StartError(
      `HIVEMIND_STORE_REPLICAS is '${replicasText}': give a whole number from 0 to ${MAX_REPLICAS}.`,
    )
  if (url === undefined) return {}
  if (!(URL.canParse(url) && PROTOCOLS.includes(new URL(url).protocol)))
    throw new StartError(
      `HIVEMIND_STORE_URL is '${url}': give the URL of a Redis server, such as redis://127.0.0.1:6379.`,
    )
  if (caFile === undefined) return { redis: { url, replicas } }
  if (new URL(url).protocol !== 'rediss:')
    throw new StartError(
      'HIVEMIND_STORE_CA is for TLS: give a HIVEMIND_STORE_URL that begins with rediss://.',
    )
  return { redis: { url, replicas, authority: certificateIn('HIVEMIND_STORE_CA', caFile) } }
}
