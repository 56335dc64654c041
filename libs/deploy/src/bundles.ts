/** Bundles on disk: each unpacked once into a folder named by its content hash. */
import { createHash } from 'node:crypto'
import { copyFile, mkdir, readFile, rename, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import type { Bundle } from '@hivemind/synthesis'
import { ProjectError } from './project.ts'

/** Bundles that are being unpacked, by their folder. */
const underWay = new Map<string, Promise<string>>()

/**
 * Unpacks a bundle below `into` and returns its folder. A bundle that is there already is used as it is; several tasks may ask for
 * one at the same time.
 */
export function unpackBundle(projectDir: string, bundle: Bundle, into: string): Promise<string> {
  const folder = path.join(into, bundle.hash.slice(0, 32))
  const unpacking =
    underWay.get(folder) ?? unpackTo(folder, projectDir, bundle).finally(() => underWay.delete(folder))
  underWay.set(folder, unpacking)
  return unpacking
}

async function unpackTo(folder: string, projectDir: string, bundle: Bundle): Promise<string> {
  if (await stat(folder).catch(() => null)) return folder
  const temporary = `${folder}.${process.pid}.tmp`
  await rm(temporary, { recursive: true, force: true })
  for (const file of bundle.files) {
    const target = path.join(temporary, file.path)
    await mkdir(path.dirname(target), { recursive: true })
    await copyFile(path.join(projectDir, file.path), target)
    const hash = createHash('sha256')
      .update(await readFile(target))
      .digest('hex')
    if (hash !== file.hash)
      throw new ProjectError(`'${file.path}' changed while the deployment was made: deploy again.`)
  }
  await mkdir(temporary, { recursive: true })
  await rename(temporary, folder)
  return folder
}
