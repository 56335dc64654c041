/** Reads one file in a thread of its own. */
import { type ImportedProject, importedProject } from './imported.ts'

export type ImportReply = { project: ImportedProject } | { failed: string }

self.onmessage = async ({ data: file }: MessageEvent<File>) => {
  let reply: ImportReply
  try {
    reply = { project: importedProject(await file.text(), file.name) }
  } catch (error) {
    reply = { failed: error instanceof Error ? error.message : String(error) }
  }
  postMessage(reply)
}
