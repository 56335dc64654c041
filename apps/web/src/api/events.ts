import type { ServerEvent } from '@hivemind/contracts'
import { useEffect, useRef, useState } from 'react'

export type { ServerEvent }

const types = [
  'exploration',
  'profile',
  'deployment',
  'run',
  'run-event',
] as const satisfies ServerEvent['type'][]

export type Connection = 'connecting' | 'open' | 'lost'

interface Subscription {
  topics: readonly string[]
  onEvent: (event: ServerEvent) => void
  /** After every (re)connection: what happened before it must be asked for. */
  onConnect?: () => void
  onState?: (state: Connection) => void
}

/** Milliseconds before attempt `n` (from 1) to connect again: doubling from 0.5 s to 15 s, with a random half. */
export function retryDelay(attempt: number, random: number): number {
  const full = Math.min(15_000, 500 * 2 ** (attempt - 1))
  return full / 2 + (full / 2) * random
}

/** Subscribes to live events until the returned function is called. */
export function subscribe(subscription: Subscription): () => void {
  const address = `/api/events?topics=${encodeURIComponent(subscription.topics.join(','))}`
  let source: EventSource | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let attempt = 0

  const receive = (event: Event) => {
    if (!(event instanceof MessageEvent)) return
    subscription.onEvent(JSON.parse(event.data) as ServerEvent)
  }
  const connect = () => {
    source = new EventSource(address)
    for (const type of types) source.addEventListener(type, receive)
    source.onopen = () => {
      attempt = 0
      subscription.onState?.('open')
      subscription.onConnect?.()
    }
    source.onerror = () => {
      subscription.onState?.('lost')
      // The browser tries again by itself unless the service answered with an error.
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
 * Live events of these topics (`project:<id>`, `run:<id>`) while the component is mounted. `onConnect` runs after
 * every (re)connection and should load the current state; events that arrive meanwhile come after it.
 */
export function useServerEvents(
  topics: readonly string[],
  onEvent: (event: ServerEvent) => void,
  onConnect?: () => void,
): Connection {
  const [connection, setConnection] = useState<Connection>('connecting')
  const latest = useRef({ onEvent, onConnect })
  latest.current = { onEvent, onConnect }
  const key = topics.join(',')

  useEffect(() => {
    if (key === '') return
    setConnection('connecting')
    return subscribe({
      topics: key.split(','),
      onEvent: (event) => latest.current.onEvent(event),
      onConnect: () => latest.current.onConnect?.(),
      onState: setConnection,
    })
  }, [key])
  return connection
}
