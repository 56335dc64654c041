/** Bundles on disk: each unpacked once into a folder named by its content hash. */
import { createHash } from 'node:crypto'
import { copyFile, mkdir, readFile, rename, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import type { Bundle } from '@hivemind/synthesis'
import { ProjectError } from './project.ts'

/** Bundles that are being unpacked, by their folder. */
const underWay = new Map<string, Promise<string>>()

/**
 * Unpacks a bundle below `into` and returns its folder. A bundle that is there already and whole is used as it is; several tasks
 * may ask for one at the same time.
 */
export function unpackBundle(projectDir: string, bundle: Bundle, into: string): Promise<string> {
  const folder = path.join(into, bundle.hash.slice(0, 32))
  const unpacking =
    underWay.get(folder) ?? unpackTo(folder, projectDir, bundle).finally(() => underWay.delete(folder))
  underWay.set(folder, unpacking)
  return unpacking
}

async function unpackTo(folder: string, projectDir: string, bundle: Bundle): Promise<string> {
  if (await isWhole(folder, bundle)) return folder
  const temporary = `${folder}.${process.pid}.tmp`
  await rm(temporary, { recursive: true, force: true })
  for (const file of bundle.files) {
    const target = path.join(temporary, file.path)
    await mkdir(path.dirname(target), { recursive: true })
    await copyFile(path.join(projectDir, file.path), target)
    if ((await hashOf(target)) !== file.hash)
      throw new ProjectError(`'${file.path}' changed while the deployment was made: deploy again.`)
  }
  await mkdir(temporary, { recursive: true })
  const spoilt = `${folder}.${process.pid}.old`
  await rename(folder, spoilt).catch(() => {})
  await rename(temporary, folder)
  await rm(spoilt, { recursive: true, force: true })
  return folder
}

/** Whether a bundle is there as it was made; a disk or a person may have changed it since. */
async function isWhole(folder: string, { files }: Bundle): Promise<boolean> {
  if (!(await stat(folder).catch(() => null))) return false
  const hashes = await Promise.all(files.map((file) => hashOf(path.join(folder, file.path)).catch(() => '')))
  return hashes.every((hash, index) => hash === files[index]?.hash)
}

const hashOf = async (file: string): Promise<string> =>
  createHash('sha256')
    .update(await readFile(file))
    .digest('hex')
