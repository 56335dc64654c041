/** Makes valid names of the language from names of a trace. */

/** Words reserved by the language, by Python's values or by JavaScript's objects, in lower case. */
const RESERVED_WORDS = new Set([
  'none',
  'true',
  'false',
  'null',
  '__proto__',
  ...Object.getOwnPropertyNames(Object.prototype).map((name) => name.toLowerCase()),
])

const MAX_NAME_LENGTH = 100
/** Leaves room for the ending of a data name and for a number that makes it unique. */
const MAX_BASE_LENGTH = 80

/** The nearest valid name: letters from A to Z, digits and `_`, no digit first, no reserved word. */
function validName(text: string): string {
  const plain = text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .slice(0, MAX_BASE_LENGTH)
  const started = /^[A-Za-z]/.test(plain) ? plain : `t_${plain}`.replace(/_$/, '')
  return RESERVED_WORDS.has(started.toLowerCase()) ? `${started}_task` : started
}

/** Gives out unique names. Names that differ only in case count as the same, as on some file systems. */
export class Names {
  readonly #taken = new Set<string>()
  readonly #next = new Map<string, number>()

  /** A valid name that resembles `text` and was not given out before. */
  take(text: string): string {
    const base = validName(text)
    const key = base.toLowerCase()
    let name = base
    for (let number = this.#next.get(key) ?? 2; this.#taken.has(name.toLowerCase()); number++) {
      name = `${base.slice(0, MAX_NAME_LENGTH - 12)}_${number}`
      this.#next.set(key, number + 1)
    }
    this.#taken.add(name.toLowerCase())
    return name
  }
}

/** A name for the workflow and its folder, made from a title. */
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
