/** Container images as archives that containerd, Docker and Podman import. The same files give the same bytes. */
import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream, lstatSync, readFileSync, readlinkSync } from 'node:fs'
import { mkdir, rename, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { pack } from 'tar-stream'

/** One entry of an image. */
export type Entry =
  /** A file, with the content of one of this machine; links are followed. */
  { file: string; mode?: number } | { text: string } | { link: string } | { folder: number }

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

/** No time of the day is in an image. */
const EPOCH = new Date(0)
const ARCHITECTURES: Record<string, string> = { x64: 'amd64', arm64: 'arm64' }

/** Writes an image as a `docker load` archive. The file appears when it is complete. */
export async function writeImage(file: string, spec: ImageSpec): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true })
  const layerFile = `${file}.layer`
  await writeLayer(layerFile, spec.entries)
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
  await streamInto(archive, 'layer.tar', layerFile, 0o644)
  archive.entry({ name: 'manifest.json', mtime: EPOCH }, manifest)
  archive.finalize()
  await written
  await rm(layerFile)
  await rename(`${file}.new`, file)
}

async function writeLayer(file: string, entries: ReadonlyMap<string, Entry>): Promise<void> {
  const layer = pack()
  const written = pipeline(layer, createWriteStream(file))
  const all = withFolders(entries)
  for (const target of [...all.keys()].sort()) {
    const entry = all.get(target) as Entry
    const name = target.slice(1)
    if ('folder' in entry)
      layer.entry({ name: `${name}/`, type: 'directory', mode: entry.folder, mtime: EPOCH })
    else if ('link' in entry) layer.entry({ name, type: 'symlink', linkname: entry.link, mtime: EPOCH })
    else if ('text' in entry) layer.entry({ name, mode: 0o644, mtime: EPOCH }, entry.text)
    else {
      const { mode } = await stat(entry.file)
      await streamInto(layer, name, entry.file, entry.mode ?? (mode & 0o111 ? 0o755 : 0o644))
    }
  }
  layer.finalize()
  await written
}

/** A large file must not be held in memory: it is as large as a runtime. */
async function streamInto(
  archive: ReturnType<typeof pack>,
  name: string,
  file: string,
  mode: number,
): Promise<void> {
  const { size } = await stat(file)
  await new Promise<void>((resolve, reject) => {
    const entry = archive.entry({ name, size, mode, mtime: EPOCH }, (error) =>
      error ? reject(error) : resolve(),
    )
    createReadStream(file).on('error', reject).pipe(entry)
  })
}

function withFolders(entries: ReadonlyMap<string, Entry>): Map<string, Entry> {
  const all = new Map(entries)
  for (const target of entries.keys())
    for (let folder = path.dirname(target); folder !== '/'; folder = path.dirname(folder))
      if (!all.has(folder)) all.set(folder, { folder: 0o755 })
  return all
}

async function hashOf(file: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(file), hash)
  return hash.digest('hex')
}

/** What lies at a path, as an entry: a link stays one. */
export function entryAt(file: string): Entry {
  return lstatSync(file).isSymbolicLink() ? { link: readlinkSync(file) } : { file }
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
