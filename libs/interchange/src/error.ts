/** What is wrong with a file that was to be imported: what, where, and how to mend it. */
export class ImportError extends Error {
  /** Where in the file: a path such as `workflow.tasks[3].files[0].sizeInBytes`, or `line 7`. */
  readonly where: string

  constructor(where: string, message: string) {
    super(`It cannot be imported; ${where}: ${message}`)
    this.name = 'ImportError'
    this.where = where
  }
}

/** A text of the file as an error message may show it: short, on one line. */
export function shown(text: string): string {
  const line = text.replace(/\p{C}+/gu, ' ')
  return `'${line.length > 80 ? `${line.slice(0, 77)}...` : line}'`
}

/** The largest text that is read, in UTF-16 units. */
export const MAX_TEXT = 64 * 1024 * 1024

/** Refuses a text that is longer than any trace, before anything is made of it. */
export function refuseLong(text: string): void {
  if (text.length > MAX_TEXT)
    throw new ImportError(
      'the whole file',
      `it has ${text.length} characters; ${MAX_TEXT} are the most that is read. Is it the right file?`,
    )
}
