/** Names of the language out of names of a trace. */

/** Words that the language, Python's values or JavaScript's objects keep for themselves, in lower case. */
const KEPT = new Set([
  'none',
  'true',
  'false',
  'null',
  '__proto__',
  ...Object.getOwnPropertyNames(Object.prototype).map((name) => name.toLowerCase()),
])

const LONGEST = 100
/** Leaves room for the ending of a data name and for a number that makes it unique. */
const LONGEST_BASE = 80

/** The nearest name of the language: letters from A to Z, digits and `_`, no digit first, none of the kept words. */
function validName(text: string): string {
  const plain = text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .slice(0, LONGEST_BASE)
  const started = /^[A-Za-z]/.test(plain) ? plain : `t_${plain}`.replace(/_$/, '')
  return KEPT.has(started.toLowerCase()) ? `${started}_task` : started
}

/** Gives out names, each only once; names that differ in case only count as the same, as they do on some disks. */
export class Names {
  readonly #taken = new Set<string>()
  readonly #next = new Map<string, number>()

  /** A valid name that resembles `text` and was not given out before. */
  take(text: string): string {
    const base = validName(text)
    const key = base.toLowerCase()
    let name = base
    for (let number = this.#next.get(key) ?? 2; this.#taken.has(name.toLowerCase()); number++) {
      name = `${base.slice(0, LONGEST - 12)}_${number}`
      this.#next.set(key, number + 1)
    }
    this.#taken.add(name.toLowerCase())
    return name
  }
}

/** A name for the workflow and its folder out of a title. */
export function projectName(title: string): string {
  const plain = title
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .replace(/[^A-Za-z0-9_]+/g, '-')
    .replace(/^[-_]+|[-_]+$/g, '')
    .slice(0, 60)
    .replace(/[-_]+$/, '')
  return plain === '' ? 'imported' : plain
}
