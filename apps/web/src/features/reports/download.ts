/** Starts the download of a text as a file. */
export function download(name: string, mediaType: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: mediaType }))
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(address), 10_000)
}

/** A file name from these parts, in lower case letters, digits and hyphens. `hivemind` when they have none. */
export const fileName = (extension: string, ...parts: (string | number)[]): string =>
  `${
    parts
      .map((part) =>
        String(part)
          .toLowerCase()
          .replace(/[^a-z0-9]+/g, '-'),
      )
      .map((part) => part.replace(/^-+|-+$/g, ''))
      .filter((part) => part !== '')
      .join('-') || 'hivemind'
  }.${extension}`
