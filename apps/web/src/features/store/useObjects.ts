import { useCallback, useEffect, useRef, useState } from 'react'
import { api } from '../../api/client.ts'
import type { Connection } from '../../api/events.ts'
import { type ApiProblem, asProblem } from '../../api/problem.ts'
import { watchStore } from '../../api/storeWatch.ts'
import type { StoreObject } from '../../api/types.ts'
import { applyChange, writeRate } from './objects.ts'

const PAGE = 1_000
const RATE_INTERVAL_MS = 1_000

/** The objects of a pool, kept up to date by its writes. */
export interface LiveObjects {
  objects: readonly StoreObject[] | undefined
  /** How many there were when they were listed, if not all are in `objects`. */
  total: number | undefined
  problem: ApiProblem | undefined
  connection: Connection
  /** Writes per second over the last ten seconds. */
  rate: number
  reload: () => void
  /** Loads the next page, when there is one. */
  more: (() => void) | undefined
}

interface State {
  objects: readonly StoreObject[] | undefined
  total: number | undefined
  next: string | undefined
  problem: ApiProblem | undefined
}

const EMPTY: State = { objects: undefined, total: undefined, next: undefined, problem: undefined }

/** Lists the objects of a pool and follows its writes while the component is mounted. */
export function useObjects(pool: string): LiveObjects {
  const [state, setState] = useState(EMPTY)
  const [connection, setConnection] = useState<Connection>('connecting')
  const [rate, setRate] = useState(0)
  /** Writes heard since the last listing was asked for: it may not have them yet. */
  const heard = useRef<StoreObject[]>([])
  const asked = useRef(0)

  const load = useCallback(async () => {
    const request = ++asked.current
    heard.current = []
    try {
      const page = await api.listStoreObjects({ prefix: pool, limit: PAGE })
      if (request !== asked.current) return
      const objects = heard.current.reduce(applyChange, page.objects as readonly StoreObject[])
      setState({
        objects,
        total: page.next === undefined ? undefined : page.total,
        next: page.next,
        problem: undefined,
      })
    } catch (error) {
      if (request === asked.current) setState((old) => ({ ...old, problem: asProblem(error) }))
    }
  }, [pool])

  const { next } = state
  const more = useCallback(async () => {
    const request = asked.current
    const page = await api.listStoreObjects({
      prefix: pool,
      limit: PAGE,
      ...(next !== undefined && { after: next }),
    })
    if (request !== asked.current) return
    setState((old) => ({
      ...old,
      objects: page.objects.reduce(applyChange, old.objects ?? []),
      total: page.next === undefined ? undefined : page.total,
      next: page.next,
    }))
  }, [pool, next])

  useEffect(() => {
    setState(EMPTY)
    setConnection('connecting')
    let times: number[] = []
    void load()
    const stop = watchStore(pool, {
      onChange: (change) => {
        times.push(Date.now())
        heard.current.push(change)
        setState((old) =>
          old.objects === undefined || (old.next !== undefined && change.key > old.next)
            ? old
            : { ...old, objects: applyChange(old.objects, change) },
        )
      },
      onReset: () => void load(),
      onState: setConnection,
    })
    const timer = setInterval(() => {
      const now = Date.now()
      times = times.filter((time) => time > now - 10_000)
      setRate(writeRate(times, now))
    }, RATE_INTERVAL_MS)
    return () => {
      asked.current++
      stop()
      clearInterval(timer)
    }
  }, [pool, load])

  return {
    ...state,
    connection,
    rate,
    reload: () => void load(),
    more:
      next === undefined
        ? undefined
        : () =>
            void more().catch((error: unknown) => setState((old) => ({ ...old, problem: asProblem(error) }))),
  }
}
