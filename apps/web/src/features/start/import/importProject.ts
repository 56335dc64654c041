import { MAX_TEXT } from '@hivemind/interchange'
import { ApiProblem, api } from '../../../api/client.ts'
import type { Project } from '../../../api/types.ts'
import type { ImportReply } from './import.worker.ts'
import type { ImportedProject } from './imported.ts'

/** Of a file with this name the workflow itself is taken, not a trace. */
const isWorkflow = (name: string): boolean => /\.py$/i.test(name)

export interface Import {
  project: Project
  /** What was read of a trace; absent for a workflow of HiveMind's own. */
  read?: ImportedProject
}

/**
 * Makes a project of a file: a `.hive.py` workflow, a WfCommons instance or a Standard Task Graph, the last two with
 * their profile. Nothing is left behind when it fails.
 * @throws ApiProblem with a sentence that says why
 */
export async function importProject(file: File): Promise<Import> {
  if (isWorkflow(file.name)) {
    const name = nameOf(file.name.replace(/(\.hive)?\.py$/i, ''))
    return { project: await api.createProject({ name, text: await file.text() }) }
  }
  if (file.size > MAX_TEXT)
    throw refused(
      file.name,
      `It has ${file.size.toLocaleString('en-GB')} bytes; ${MAX_TEXT.toLocaleString('en-GB')} are the most that is read.`,
    )
  const read = await readInWorker(file)
  const project = await api.createProject({ name: nameOf(read.name), text: read.text })
  try {
    for (const { path, text } of read.files) await api.putFile(project.id, path, text)
    await api.importProfile(project.id, read.profile)
  } catch (error) {
    await api.deleteProject(project.id).catch(() => undefined)
    throw error
  }
  return { project, read }
}

const nameOf = (text: string): string => text.slice(0, 80).trim() || 'Imported'

const refused = (name: string, why: string): ApiProblem =>
  new ApiProblem(422, `${name} was not imported`, why)

function readInWorker(file: File): Promise<ImportedProject> {
  const worker = new Worker(new URL('./import.worker.ts', import.meta.url), {
    type: 'module',
    name: 'import',
  })
  return new Promise<ImportedProject>((resolve, reject) => {
    worker.onmessage = ({ data }: MessageEvent<ImportReply>) => {
      if ('project' in data) resolve(data.project)
      else reject(refused(file.name, data.failed))
    }
    worker.onerror = (event) => {
      event.preventDefault()
      reject(
        refused(file.name, event.message || 'It could not be read; it may be too large for this browser.'),
      )
    }
    worker.postMessage(file)
  }).finally(() => worker.terminate())
}
