/** Web worker that reads one trace file. */
import { type TraceProject, traceProject } from './traceProject.ts'

/** The project read from the file, or a sentence that says why it could not be read. */
export type ImportReply = { trace: TraceProject } | { error: string }

self.onmessage = async ({ data: file }: MessageEvent<File>) => {
  let reply: ImportReply
  try {
    reply = { trace: traceProject(await file.text(), file.name) }
  } catch (error) {
    reply = { error: error instanceof Error ? error.message : String(error) }
  }
  postMessage(reply)
}
