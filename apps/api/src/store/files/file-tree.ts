/**
 * The store as a tree of files to be read: `latest` (everything as it is), `at/TIME` (as it was then) and `versions` (the kept versions of
 * every object).
 */
import { extname } from 'node:path/posix'
import { holds, type Moment, type ObjectInfo, type Store } from '@hivemind/store'

/** A folder or a file of the tree. */
export interface Entry {
  /** Its name in its folder. */
  name: string
  /** The version that a file shows; `null` for a folder. */
  object: ObjectInfo | null
}

/** The name of an object in the folder of what is below its key. */
const OBJECT_ITSELF = '.object'
/** A time in UTC: a day, a minute, a second or a part of one. */
const TIME = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?Z)?$/
const ROOTS = ['latest', 'at', 'versions']
/** Names that a path in a URL cannot have. */
const UNNAMEABLE = new Set(['.', '..'])

/** Where a path of the tree leads: a path in the store, and how it is looked at. */
interface Place {
  part: 'state' | 'versions'
  at: Moment | undefined
  /** Empty above all pools. */
  path: string
}

/** What is at a place. */
interface Look {
  /** Versions of the object whose key the place is. */
  itself: ObjectInfo[]
  /** Keys below it, and pools, which have no object. */
  below: { path: string; object?: ObjectInfo }[]
  /** Whether it is a folder also without anything in it. */
  stays: boolean
}

const folder = (name: string): Entry => ({ name, object: null })
const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

/** What the tree reads of a store. */
export type Reads = Pick<Store, 'listPools' | 'listObjects' | 'changes'>

/** Reads a store as a tree. A path is a list of names; the root is the empty list. */
export class FileTree {
  readonly #store: Reads

  constructor(store: Reads) {
    this.#store = store
  }

  /** What a path names; `null` when there is nothing. Rejects with the errors of the store. */
  async find(names: readonly string[]): Promise<Entry | null> {
    if (names.length < 2) {
      const [root = ''] = names
      return root === '' || ROOTS.includes(root) ? folder(root) : null
    }
    const name = names.at(-1) as string
    const place = placeOf(names)
    if (!place) return null
    const look = await this.#look(place)
    if (isFolder(place, look)) return folder(name)
    const [object] = look.itself
    if (object) return { name, object }
    const around = placeOf(names.slice(0, -1))
    const lookAround = around && (await this.#look(around))
    if (!lookAround || !isFolder(around, lookAround)) return null
    const files = filesOf(around, lookAround)
    return files.find((file) => file.name === name) ?? null
  }

  /**
   * What is in a folder, sorted by name; `null` when the path names none. `at` is empty: any time, such as `2026-11-25T08:00:00Z`, is
   * a folder in it. Rejects with the errors of the store.
   */
  async list(names: readonly string[]): Promise<Entry[] | null> {
    if (names.length === 0) return ROOTS.map(folder)
    if (names.length === 1 && names[0] === 'at') return []
    const place = placeOf(names)
    if (!place) return null
    const look = await this.#look(place)
    if (!isFolder(place, look)) return null
    const entries = new Map(filesOf(place, look).map((file) => [file.name, file]))
    for (const { path, object } of look.below) {
      const [name = '', ...deeper] = path.slice(place.path.length + 1).split('/')
      const isFile = place.part === 'state' && object && deeper.length === 0
      if (!isFile) entries.set(name, folder(name))
      else if (entries.get(name)?.object !== null) entries.set(name, { name, object })
    }
    return [...entries.values()]
      .filter(({ name }) => !UNNAMEABLE.has(name))
      .sort((a, b) => (a.name < b.name ? -1 : 1))
  }

  async #look({ part, at, path }: Place): Promise<Look> {
    const pools = await this.#store.listPools()
    if (!pools.some((pool) => holds(pool.path, path))) {
      const below = pools.filter((pool) => path === '' || holds(path, pool.path))
      return { itself: [], below: below.map((pool) => ({ path: pool.path })), stays: path === '' }
    }
    const objects =
      part === 'versions'
        ? (await this.#store.changes(path)).filter(({ removed }) => !removed)
        : await this.#store.listObjects(path, at)
    return {
      itself: objects.filter(({ key }) => key === path),
      below: objects.filter(({ key }) => key !== path).map((object) => ({ path: object.key, object })),
      stays: pools.some((pool) => pool.path === path),
    }
  }
}

/** The path in the store that a path of the tree leads to; empty above all pools, and for a path that names nothing. */
export const pathOf = (names: readonly string[]): string => placeOf(names)?.path ?? ''

/** `null` for a path that names nothing: an unknown root, or a time that is none or has not come. */
function placeOf([root, ...inside]: readonly string[]): Place | null {
  const time = root === 'at' ? inside.shift() : undefined
  const path = inside.map((name) => `/${name}`).join('')
  if (root === 'latest') return { part: 'state', at: undefined, path }
  if (root === 'versions') return { part: 'versions', at: undefined, path }
  if (time === undefined || !TIME.test(time)) return null
  const ms = Date.parse(time)
  return ms <= Date.now() ? { part: 'state', at: { time: ms * 1000 }, path } : null
}

const isFolder = ({ part }: Place, { itself, below, stays }: Look): boolean =>
  stays || below.length > 0 || (part === 'versions' && itself.length > 0)

/** The files in a folder that show the object of the folder's own key. */
function filesOf({ part, path }: Place, { itself }: Look): Entry[] {
  if (part === 'state') return itself.map((object) => ({ name: OBJECT_ITSELF, object }))
  const extension = extname(nameOf(path))
  return itself.map((object) => ({ name: `v${object.version}${extension}`, object }))
}
