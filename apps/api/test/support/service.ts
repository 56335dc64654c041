import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Target } from '@hivemind/deploy'
import { type Config, readConfig } from '../../src/config/config.ts'
import { type Service, startService } from '../../src/service.ts'
import { Client } from './client.ts'
import { ScriptTarget } from './script-target.ts'

export const newFolder = () => mkdtempSync(path.join(tmpdir(), 'hivemind-api-'))
export const removeFolder = (folder: string) => rmSync(folder, { recursive: true, force: true })

export function configFor(dataDir: string, more: Partial<Config> = {}): Config {
  const config = readConfig(['--port', '0', '--data-dir', dataDir], {})
  if (config === 'help') throw new Error('no help was asked for')
  return { ...config, ...more }
}

export interface Started {
  service: Service
  client: Client
  target: ScriptTarget
}

/** Starts the service in this process, on any free port. */
export async function start(config: Config, target?: Target): Promise<Started> {
  const script = new ScriptTarget()
  const service = await startService(config, target ?? script)
  return { service, client: new Client(service.url), target: script }
}
