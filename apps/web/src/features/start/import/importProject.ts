import { MAX_TEXT_LENGTH } from '@hivemind/interchange'
import { ApiProblem, api } from '../../../api/client.ts'
import type { Project } from '../../../api/types.ts'
import type { ImportReply } from './import.worker.ts'
import type { TraceProject } from './traceProject.ts'

/** Whether a file with this name holds a HiveMind workflow, not a trace. */
const isWorkflow = (name: string): boolean => /\.py$/i.test(name)

/** The created project and, when the file was a trace, what was read from it. */
export interface ImportResult {
  project: Project
  trace?: TraceProject
}

/**
 * Creates a project from a file: a `.hive.py` workflow, or a WfCommons instance or Standard Task Graph with its profile.
 * Deletes the project again when a later step fails.
 * @throws ApiProblem that says why the file was refused
 */
export async function importProject(file: File): Promise<ImportResult> {
  if (isWorkflow(file.name)) {
    const name = nameOf(file.name.replace(/(\.hive)?\.py$/i, ''))
    return { project: await api.createProject({ name, text: await file.text() }) }
  }
  if (file.size > MAX_TEXT_LENGTH)
    throw refused(
      file.name,
      `The file has ${file.size.toLocaleString('en-GB')} bytes. The limit is ${MAX_TEXT_LENGTH.toLocaleString('en-GB')} bytes.`,
    )
  const trace = await readInWorker(file)
  const project = await api.createProject({ name: nameOf(trace.name), text: trace.text })
  try {
    for (const { path, text } of trace.files) await api.putFile(project.id, path, text)
    await api.importProfile(project.id, trace.profile)
    // The first version was saved before there were files; a version is deployed with its own.
    if (trace.files.length > 0) {
      const { text, layout } = await api.getVersion(project.id, 1)
      await api.saveVersion(project.id, { base: 1, text, layout, message: 'Imported files' })
    }
  } catch (error) {
    await api.deleteProject(project.id).catch(() => undefined)
    throw error
  }
  return { project, trace }
}

const nameOf = (text: string): string => text.slice(0, 80).trim() || 'Imported'

const refused = (name: string, why: string): ApiProblem =>
  new ApiProblem(422, `${name} was not imported`, why)

function readInWorker(file: File): Promise<TraceProject> {
  const worker = new Worker(new URL('./import.worker.ts', import.meta.url), {
    type: 'module',
    name: 'import',
  })
  return new Promise<TraceProject>((resolve, reject) => {
    worker.onmessage = ({ data }: MessageEvent<ImportReply>) => {
      if ('trace' in data) resolve(data.trace)
      else reject(refused(file.name, data.error))
    }
    worker.onerror = (event) => {
      event.preventDefault()
      reject(
        refused(
          file.name,
          event.message || 'The file could not be read. It may be too large for this browser.',
        ),
      )
    }
    worker.postMessage(file)
  }).finally(() => worker.terminate())
}
