/** Reads a file of any supported format. */
import type { Imported } from './convert.ts'
import { ImportError } from './error.ts'
import { readStg } from './stg.ts'
import { readWfCommons } from './wfcommons.ts'

/** Ids of the formats that can be imported. */
export const FORMATS = ['wfcommons', 'stg'] as const
/** Id of a format that can be imported. */
export type Format = (typeof FORMATS)[number]

/** Detects the format of a text: JSON begins with a brace, a task graph with a number; `undefined` for neither. */
export function formatOf(text: string): Format | undefined {
  const [begin] = /[^\s\uFEFF]/.exec(text) ?? []
  if (begin === '{') return 'wfcommons'
  return begin !== undefined && /[\d#]/.test(begin) ? 'stg' : undefined
}

/**
 * Reads a text in the given format, or in the detected one. A Standard Task Graph has no name, so it gets the name of its
 * file without the extension.
 * @throws ImportError when it is neither, or wrong
 */
export function readTrace(text: string, fileName: string, format = formatOf(text)): Imported {
  if (format === 'stg') return readStg(text, { name: fileName.replace(/\.[A-Za-z]+$/, '') })
  if (format === 'wfcommons') return readWfCommons(text)
  throw new ImportError(
    'the whole file',
    'it is neither a WfCommons instance (JSON) nor a Standard Task Graph (lines of numbers). Is it the right file?',
  )
}
