/** Container images as archives that containerd, Docker and Podman import. The same files give the same bytes. */
import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream, readFileSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { type Entry, EPOCH, writeEntries, writeFile } from '@hivemind/packaging'
import { pack } from 'tar-stream'

export interface ImageSpec {
  /** `NAME:TAG`. */
  name: string
  /** By absolute path in the image; folders above an entry come by themselves. */
  entries: ReadonlyMap<string, Entry>
  entrypoint: readonly string[]
  env?: readonly string[]
  /** Numeric user and group. */
  user: string
  workdir?: string
}

const ARCHITECTURES: Record<string, string> = { x64: 'amd64', arm64: 'arm64' }

/** Writes an image as a `docker load` archive. The file appears when it is complete. */
export async function writeImage(file: string, spec: ImageSpec): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true })
  const layerFile = `${file}.layer`
  const layer = pack()
  const layered = pipeline(layer, createWriteStream(layerFile))
  await writeEntries(layer, spec.entries)
  layer.finalize()
  await layered
  const diff = await hashOf(layerFile)
  const config = JSON.stringify({
    architecture: ARCHITECTURES[process.arch] ?? process.arch,
    os: 'linux',
    created: EPOCH.toISOString(),
    config: {
      Entrypoint: spec.entrypoint,
      Env: spec.env ?? [],
      User: spec.user,
      WorkingDir: spec.workdir ?? '/',
    },
    rootfs: { type: 'layers', diff_ids: [`sha256:${diff}`] },
    history: [{ created: EPOCH.toISOString() }],
  })
  const configName = `${createHash('sha256').update(config).digest('hex')}.json`
  const manifest = JSON.stringify([{ Config: configName, RepoTags: [spec.name], Layers: ['layer.tar'] }])
  const archive = pack()
  const written = pipeline(archive, createWriteStream(`${file}.new`))
  archive.entry({ name: configName, mtime: EPOCH }, config)
  await writeFile(archive, 'layer.tar', layerFile, 0o644)
  archive.entry({ name: 'manifest.json', mtime: EPOCH }, manifest)
  archive.finalize()
  await written
  await rm(layerFile)
  await rename(`${file}.new`, file)
}

async function hashOf(file: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(file), hash)
  return hash.digest('hex')
}

/** A hash of what entries hold, for names that change with their content. */
export function contentHash(entries: ReadonlyMap<string, Entry>): string {
  const hash = createHash('sha256')
  for (const target of [...entries.keys()].sort()) {
    const entry = entries.get(target) as Entry
    hash.update(`${target}\0${JSON.stringify('file' in entry ? entry.mode : entry)}\0`)
    if ('file' in entry) hash.update(readFileSync(entry.file))
  }
  return hash.digest('hex')
}
