import type { ServerEvent } from '@hivemind/contracts'
import { useEffect, useRef, useState } from 'react'

export type { ServerEvent }

const types = [
  'exploration',
  'profile',
  'deployment',
  'run',
  'run-event',
  'run-statistics',
] as const satisfies ServerEvent['type'][]

export type Connection = 'connecting' | 'open' | 'lost'

interface Subscription {
  topics: readonly string[]
  /** Ids grow from event to event. */
  onEvent: (event: ServerEvent, id: number) => void
  /** The current state must be loaded: after the first connection, and when the service cannot repeat missed events. */
  onReset?: () => void
  onState?: (state: Connection) => void
}

/** Delay in ms before reconnection attempt `attempt` (from 1): doubles from 0.5 s to 15 s; half of it is random. */
export function retryDelay(attempt: number, random: number): number {
  const full = Math.min(15_000, 500 * 2 ** (attempt - 1))
  return full / 2 + (full / 2) * random
}

/** Subscribes to live events until the returned function is called. */
export function subscribe(subscription: Subscription): () => void {
  const address = `/api/events?topics=${encodeURIComponent(subscription.topics.join(','))}`
  /** Id of the newest event. The browser sends it only when it reconnects by itself. */
  let lastId: number | undefined
  let connectedBefore = false
  let source: EventSource | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let attempt = 0

  const receive = (event: Event) => {
    if (!(event instanceof MessageEvent)) return
    lastId = Number(event.lastEventId)
    subscription.onEvent(JSON.parse(event.data) as ServerEvent, lastId)
  }
  const connect = () => {
    source = new EventSource(lastId === undefined ? address : `${address}&after=${lastId}`)
    for (const type of types) source.addEventListener(type, receive)
    source.addEventListener('reset', () => subscription.onReset?.())
    source.onopen = () => {
      attempt = 0
      subscription.onState?.('open')
      // Without an event there is no id to resume after.
      if (!connectedBefore || lastId === undefined) subscription.onReset?.()
      connectedBefore = true
    }
    source.onerror = () => {
      subscription.onState?.('lost')
      // The browser reconnects by itself unless the service answered with an error.
      if (source?.readyState !== EventSource.CLOSED) return
      attempt++
      timer = setTimeout(connect, retryDelay(attempt, Math.random()))
    }
  }
  connect()
  return () => {
    clearTimeout(timer)
    source?.close()
  }
}

/**
 * Subscribes to live events of `topics` (`project:<id>`, `run:<id>`) while the component is mounted. After a reconnection
 * the missed events come first. `onReset` should load the current state; it runs after the first connection, and when more
 * events were missed than the service repeats.
 */
export function useServerEvents(
  topics: readonly string[],
  onEvent: (event: ServerEvent, id: number) => void,
  onReset?: () => void,
): Connection {
  const [connection, setConnection] = useState<Connection>('connecting')
  const latest = useRef({ onEvent, onReset })
  latest.current = { onEvent, onReset }
  const key = topics.join(',')

  useEffect(() => {
    if (key === '') return
    setConnection('connecting')
    return subscribe({
      topics: key.split(','),
      onEvent: (event, id) => latest.current.onEvent(event, id),
      onReset: () => latest.current.onReset?.(),
      onState: setConnection,
    })
  }, [key])
  return connection
}
