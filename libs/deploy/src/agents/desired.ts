/** A synthesis as blobs, and what a device is told to run of it. */
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { DesiredDeployment } from '@hivemind/agent-protocol'
import { edgeTasks, type Synthesis } from '@hivemind/synthesis'

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
  const putJson = (value: unknown): Promise<string> => blobs.put(Buffer.from(JSON.stringify(value)))
  const onDevice = new Set(edgeTasks(synthesis.plan).map(({ name }) => name))
  const bundles: Record<string, string> = {}
  for (const { task, entry, files } of synthesis.bundles.filter((bundle) => onDevice.has(bundle.task))) {
    for (const file of files) {
      if (await blobs.has(file.hash)) continue
      const stored = await blobs.put(await readFile(path.join(projectDir, file.path)))
      if (stored !== file.hash)
        throw new Error(`'${file.path}' changed while the deployment was made: deploy again.`)
    }
    bundles[task] = await putJson({ schema: 'hivemind.bundle/1', entry, files })
  }
  return { id, plan: await putJson(synthesis.plan), flow: await putJson(synthesis.flow), bundles }
}
