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
  /** The state must be asked for: after the first connection, and when the service can not repeat what was missed. */
  onReset?: () => void
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
  /** Id of the newest event; the browser names it by itself only when it connects again by itself. */
  let last: number | undefined
  let begun = false
  let source: EventSource | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let attempt = 0

  const receive = (event: Event) => {
    if (!(event instanceof MessageEvent)) return
    last = Number(event.lastEventId)
    subscription.onEvent(JSON.parse(event.data) as ServerEvent, last)
  }
  const connect = () => {
    source = new EventSource(last === undefined ? address : `${address}&after=${last}`)
    for (const type of types) source.addEventListener(type, receive)
    source.addEventListener('reset', () => subscription.onReset?.())
    source.onopen = () => {
      attempt = 0
      subscription.onState?.('open')
      // Without an event there is no id to resume after.
      if (!begun || last === undefined) subscription.onReset?.()
      begun = true
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
 * Live events of these topics (`project:<id>`, `run:<id>`) while the component is mounted. After a connection was cut,
 * what was missed comes first. `onReset` runs after the first connection, and when more was missed than the service
 * repeats; it should load the current state. Events that arrive meanwhile come after it.
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
