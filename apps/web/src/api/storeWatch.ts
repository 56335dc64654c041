/** Live writes to the store. */
import { type Connection, retryDelay } from './events.ts'
import type { StoreObject } from './types.ts'

interface Watch {
  onChange: (change: StoreObject) => void
  /** The current state must be loaded: after each connection, and when more was missed than the service repeats. */
  onReset: () => void
  onState: (state: Connection) => void
}

/** Calls back for each write under a prefix until the returned function is called. */
export function watchStore(prefix: string, { onChange, onReset, onState }: Watch): () => void {
  const address = `/api/store/watch?${new URLSearchParams({ prefix })}`
  let source: EventSource | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let attempt = 0
  const connect = () => {
    source = new EventSource(address)
    source.addEventListener('change', (event) => onChange(JSON.parse(event.data) as StoreObject))
    source.addEventListener('reset', onReset)
    source.onopen = () => {
      attempt = 0
      onState('open')
      onReset()
    }
    source.onerror = () => {
      onState('lost')
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
