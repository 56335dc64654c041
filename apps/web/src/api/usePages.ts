import type { DependencyList } from 'react'
import { useCallback, useRef } from 'react'
import { type Loaded, useLoad } from './useLoad.ts'

/** Which part of a list is wanted: at most `limit` entries, behind the one with the id `after`. */
export interface Page<Id = string> {
  limit: number
  after?: Id
}

export interface Pages<T> extends Loaded<T[]> {
  /** Loads the next page too; absent when there is none. */
  more: (() => void) | undefined
}

/** Entries of a page of a list. */
export const PAGE_SIZE = 100
/** Most entries that the service gives at once. */
const MOST = 1_000

/** Loads the first page of a list, and the next ones on demand; a reload loads as many entries as were shown. */
export function usePages<T, Id = string>(
  load: (page: Page<Id>, signal: AbortSignal) => Promise<T[]>,
  idOf: (entry: T) => Id,
  deps: DependencyList,
): Pages<T> {
  const wanted = useRef(PAGE_SIZE)
  const list = useLoad(async (signal) => {
    const all: T[] = []
    while (all.length < wanted.current) {
      const limit = Math.min(MOST, wanted.current - all.length)
      const last = all.at(-1)
      const page = await load({ limit, ...(last !== undefined && { after: idOf(last) }) }, signal)
      all.push(...page)
      if (page.length < limit) break
    }
    return all
  }, deps)
  const { reload } = list
  const more = useCallback(() => {
    wanted.current += PAGE_SIZE
    reload()
  }, [reload])
  return { ...list, more: (list.data?.length ?? 0) >= wanted.current ? more : undefined }
}
