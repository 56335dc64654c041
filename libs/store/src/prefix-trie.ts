/** Values bound to paths, found by the paths below them. */

interface Node<T> {
  readonly children: Map<string, Node<T>>
  readonly values: Set<T>
}

const newNode = <T>(): Node<T> => ({ children: new Map(), values: new Set() })

/** A trie over the components of paths. */
export class PrefixTrie<T> {
  readonly #root = newNode<T>()
  #size = 0

  /** Number of bound values. */
  get size(): number {
    return this.#size
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
      this.#size++
    }
    return () => this.#remove(path, value)
  }

  /** The values bound to a path or to one above it, from the shortest path to the longest. */
  match(path: string): T[] {
    const found: T[] = []
    if (this.#size === 0) return found
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
    this.#size--
    for (let depth = parts.length; depth > 0; depth--) {
      const node = trail[depth] as Node<T>
      if (node.values.size > 0 || node.children.size > 0) return
      trail[depth - 1]?.children.delete(parts[depth - 1] as string)
    }
  }
}
