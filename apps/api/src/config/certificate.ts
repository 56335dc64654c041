import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { StartError } from '../common/start-error.ts'

/** The PEM text of an authority, out of the file that a setting names. Throws `StartError`. */
export function certificateIn(setting: string, file: string): string {
  try {
    const text = readFileSync(file, 'utf8')
    new X509Certificate(text)
    return text
  } catch (error) {
    throw new StartError(
      `${setting} is '${file}', which has no certificate that can be read: ${(error as Error).message}. Give a file with the PEM text of the authority.`,
    )
  }
}
