/** The code of a function, as it is put on a cluster. */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { Bundle } from '@hivemind/synthesis'
import type { FunctionWork } from '../functions/hosting.ts'
import { ProjectError } from '../project.ts'
import type { CodeFile } from './manifests.ts'

/** The files of the tasks of a function, each once, checked against their hashes. */
export async function readCode({
  bundle,
  coPlaced = [],
  projectDir,
}: Pick<FunctionWork, 'bundle' | 'coPlaced' | 'projectDir'>): Promise<CodeFile[]> {
  const files = [bundle, ...coPlaced.map((each) => each.bundle)].flatMap((each) => each?.files ?? [])
  const byPath = new Map(files.map((file) => [file.path, file]))
  return Promise.all([...byPath.values()].map((file) => readFileOf(projectDir, file)))
}

async function readFileOf(projectDir: string, file: Bundle['files'][number]): Promise<CodeFile> {
  const content = await readFile(path.join(projectDir, file.path))
  if (createHash('sha256').update(content).digest('hex') !== file.hash)
    throw new ProjectError(`'${file.path}' changed while the deployment was made: deploy again.`)
  return { path: file.path, hash: file.hash, content }
}
