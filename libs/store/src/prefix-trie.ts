/** Values bound to paths, found by the paths below them. */
import { holds } from './paths.ts'

interface Node<T> {
  readonly children: Map<string, Node<T>>
  readonly values: Set<T>
}

/** Up to so many values, each is compared with a path. */
const FEW = 8

const newNode = <T>(): Node<T> => ({ children: new Map(), values: new Set() })

/** A trie over the components of paths. */
export class PrefixTrie<T> {
  readonly #root = newNode<T>()
  /** What is bound, the shortest paths first: a few are compared faster than the components of a path are looked up. */
  readonly #bound: { path: string; value: T }[] = []

  /** Number of bound values. */
  get size(): number {
    return this.#bound.length
  }

  /** Binds a value to a path. Returns the function that unbinds it. */
  add(path: string, value: T): () => void {
    const trail = [this.#root]
    const parts = path.split('/').slice(1)
    for (const part of parts) {
      const parent = trail[trail.length - 1] as Node<T>
      const child = parent.children.get(part) ?? newNode<T>()
      parent.children.set(part, child)
      trail.push(child)
    }
    const leaf = trail[trail.length - 1] as Node<T>
    if (!leaf.values.has(value)) {
      leaf.values.add(value)
      const longer = this.#bound.findIndex((each) => each.path.length > path.length)
      this.#bound.splice(longer < 0 ? this.#bound.length : longer, 0, { path, value })
    }
    return () => this.#remove(path, value)
  }

  /** The values bound to a path or to one above it, from the shortest path to the longest. */
  match(path: string): T[] {
    const found: T[] = []
    if (this.#bound.length <= FEW) {
      for (const { path: prefix, value } of this.#bound) if (holds(prefix, path)) found.push(value)
      return found
    }
    let node: Node<T> | undefined = this.#root
    for (let start = 1; node; ) {
      for (const value of node.values) found.push(value)
      if (start > path.length) break
      const slash = path.indexOf('/', start)
      const end = slash < 0 ? path.length : slash
      node = node.children.get(path.slice(start, end))
      start = end + 1
    }
    return found
  }

  #remove(path: string, value: T): void {
    const parts = path.split('/').slice(1)
    const trail = [this.#root]
    for (const part of parts) {
      const child = trail[trail.length - 1]?.children.get(part)
      if (!child) return
      trail.push(child)
    }
    if (!trail[trail.length - 1]?.values.delete(value)) return
    this.#bound.splice(
      this.#bound.findIndex((each) => each.path === path && each.value === value),
      1,
    )
    for (let depth = parts.length; depth > 0; depth--) {
      const node = trail[depth] as Node<T>
      if (node.values.size > 0 || node.children.size > 0) return
      trail[depth - 1]?.children.delete(parts[depth - 1] as string)
    }
  }
}
