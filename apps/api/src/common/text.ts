import { randomBytes } from 'node:crypto'

/** A new id: 16 hexadecimal digits. */
export const newId = () => randomBytes(8).toString('hex')

/** Lower case letters, digits and dashes, for ids and file names; `fallback` when nothing of the text is left. */
export function slug(text: string, fallback: string): string {
  const plain = text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 40)
    .replace(/^-+|-+$/g, '')
  return plain === '' ? fallback : plain
}

/** Text that a database column can hold: no NUL, no half surrogates. */
export const storable = (text: string) => text.replaceAll('\0', '\uFFFD').toWellFormed()

/** The sentence of anything thrown. */
export const sentenceOf = (error: unknown) => (error instanceof Error ? error.message : String(error))
