/** A synthesis as blobs, and what a device is told to run of it. */
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { DesiredDeployment } from '@hivemind/agent-protocol'
import { type Bundle, edgeTasks, type Synthesis } from '@hivemind/synthesis'

/** Grows with everything that devices are told to run, also over restarts. */
let lastRevision = 0

/** Number of what a device is told to run now: greater than any before. */
export function nextRevision(): number {
  lastRevision = Math.max(lastRevision + 1, Date.now())
  return lastRevision
}

/** Where blobs are put. */
export interface BlobSink {
  has(hash: string): Promise<boolean>
  put(content: Uint8Array): Promise<string>
}

/**
 * Puts the plan, the flow and the bundles of the edge tasks into `blobs` and returns what devices are told. Files that
 * are blobs already are not read. Rejects when a file of `projectDir` is no longer what it was.
 */
export async function desiredDeployment(
  id: string,
  synthesis: Synthesis,
  projectDir: string,
  blobs: BlobSink,
): Promise<DesiredDeployment> {
  const onDevice = new Set(edgeTasks(synthesis.plan).map(({ name }) => name))
  const bundles: Record<string, string> = {}
  for (const bundle of synthesis.bundles.filter(({ task }) => onDevice.has(task)))
    bundles[bundle.task] = await putBundle(bundle, projectDir, blobs)
  return {
    id,
    plan: await putJson(synthesis.plan, blobs),
    flow: await putJson(synthesis.flow, blobs),
    bundles,
  }
}

/** Puts a bundle into `blobs`: its files, and the manifest whose hash is returned. Rejects when a file is no longer what it was. */
export async function putBundle(
  { entry, files }: Bundle,
  projectDir: string,
  blobs: BlobSink,
): Promise<string> {
  for (const file of files) {
    if (await blobs.has(file.hash)) continue
    const stored = await blobs.put(await readFile(path.join(projectDir, file.path)))
    if (stored !== file.hash)
      throw new Error(`'${file.path}' changed while the deployment was made: deploy again.`)
  }
  return putJson({ schema: 'hivemind.bundle/1', entry, files }, blobs)
}

/** Puts something as JSON, and returns its hash. */
export const putJson = (value: unknown, blobs: BlobSink): Promise<string> =>
  blobs.put(Buffer.from(JSON.stringify(value)))
