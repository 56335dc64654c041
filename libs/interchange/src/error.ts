/** A file that cannot be imported. The message says what is wrong, where, and how to fix it. */
export class ImportError extends Error {
  /** Where in the file: a path such as `workflow.tasks[3].files[0].sizeInBytes`, or `line 7`. */
  readonly where: string

  constructor(where: string, message: string) {
    super(`It cannot be imported; ${where}: ${message}`)
    this.name = 'ImportError'
    this.where = where
  }
}

/** A text of the file, quoted for an error message: at most 80 characters, on one line. */
export function quoted(text: string): string {
  const line = text.replace(/\p{C}+/gu, ' ')
  return `'${line.length > 80 ? `${line.slice(0, 77)}...` : line}'`
}

/** Maximum length of a text that is read, in UTF-16 units. */
export const MAX_TEXT_LENGTH = 64 * 1024 * 1024

/** Throws `ImportError` for a text longer than `MAX_TEXT_LENGTH`. */
export function checkLength(text: string): void {
  if (text.length > MAX_TEXT_LENGTH)
    throw new ImportError(
      'the whole file',
      `it has ${text.length} characters; at most ${MAX_TEXT_LENGTH} are read. Is it the right file?`,
    )
}
