/** A namespace of the cluster of the tests, the chart in it, and the service that it installs. */
import { spawnSync } from 'node:child_process'
import { chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseAllDocuments, stringify } from 'yaml'

export const CHART = fileURLToPath(new URL('hivemind', import.meta.url))
const images = JSON.parse(process.env.HIVEMIND_CLUSTER_IMAGES ?? '{}') as Record<string, string>
/** Values that every release has. */
export const VALUES = {
  images: {
    service: images.service,
    functionNode: images.node,
    functionPython: images.python,
    redis: images.redis,
  },
  knative: { ingress: 'http://kourier.kourier-system.svc.cluster.local' },
}
/** Arguments that wait for what is installed. */
export const WAIT = ['--wait', '--timeout', '8m']

export interface Manifest {
  kind: string
  metadata: { name: string }
  rules?: unknown
}

/** What a command prints. Throws with what it says when it fails. */
export function run(program: string, args: string[], input?: string): string {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8', input })
  if (status !== 0) throw new Error(`${program} ${args[0]}: ${stderr}`)
  return stdout
}

export const manifests = (text: string): Manifest[] =>
  parseAllDocuments(text).flatMap((each) => (each.toJS() as Manifest | null) ?? [])

/** Polls. Errors end it. */
export async function until<T>(get: () => Promise<T | false>): Promise<T> {
  for (;;) {
    const got = await get()
    if (got) return got
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
}

export class Release {
  readonly namespace = `chart-${Math.random().toString(36).slice(2, 8)}`
  readonly folder = mkdtempSync(path.join(os.tmpdir(), 'hivemind-chart-'))
  readonly #where = ['-n', this.namespace]
  #volumes = 0

  constructor() {
    run('kubectl', ['create', 'namespace', this.namespace])
  }

  remove(): void {
    run('kubectl', ['delete', 'namespace', this.namespace, '--wait=false'])
    for (let volume = 0; volume < this.#volumes; volume++)
      run('kubectl', ['delete', 'persistentvolume', `${this.namespace}-${volume}`, '--wait=false'])
    rmSync(this.folder, { recursive: true, force: true })
  }

  kubectl = (...args: string[]): string => run('kubectl', [...this.#where, ...args])
  helm = (command: string, ...args: string[]): string => run('helm', [command, ...this.#where, ...args])
  apply = (manifest: string, ...args: string[]): string =>
    run('kubectl', ['apply', ...this.#where, ...args, '-f', '-'], manifest)

  /** Arguments that give values to helm. */
  with(more: object): string[] {
    const file = path.join(this.folder, 'values.yaml')
    writeFileSync(file, stringify({ ...VALUES, ...more }))
    return ['-f', file]
  }

  rendered = (more: object = {}): string =>
    this.helm('template', 'hivemind', CHART, '--validate', ...this.with(more))

  /** Makes a volume of this machine for a claim, as an administrator would for the user of the chart's pods. Returns its folder. */
  volumeFor(claim: string): string {
    const hostPath = { path: path.join(this.folder, claim) }
    mkdirSync(hostPath.path)
    chownSync(hostPath.path, 65_532, 65_532)
    const spec = {
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce'],
      hostPath,
      storageClassName: '',
      claimRef: { namespace: this.namespace, name: claim },
    }
    const metadata = { name: `${this.namespace}-${this.#volumes++}` }
    this.apply(stringify({ apiVersion: 'v1', kind: 'PersistentVolume', metadata, spec }))
    return hostPath.path
  }

  /** A field of the pod that is active; empty when there is none. */
  activePod = (field: string): string =>
    this.kubectl('get', 'pod', '-l', 'hivemind.dev/role=active', '-o', `jsonpath={.items[*]${field}}`)

  /** The password of the service. */
  password(): string {
    const secret = this.kubectl('get', 'secret', 'hivemind', '-o', 'jsonpath={.data.password}')
    return Buffer.from(secret, 'base64').toString()
  }

  /** Asks the service, by the address of its active pod. Rejects when it refuses. */
  async open(method: string, at: string, body?: object): Promise<Response> {
    const url = `http://${this.activePod('.status.podIP')}:4310/api/${at}`
    const answer = await fetch(url, {
      method,
      headers: {
        authorization: `Basic ${Buffer.from(`hivemind:${this.password()}`).toString('base64')}`,
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    })
    if (!answer.ok) throw new Error(`${method} ${url}: ${answer.status} ${await answer.text()}`)
    return answer
  }

  ask = async (method: string, at: string, body?: object): Promise<Record<string, unknown>> =>
    (await (await this.open(method, at, body)).json()) as Record<string, unknown>

  /** A deployment once it has been started, or has failed. */
  started = (deployment: unknown): Promise<Record<string, unknown>> =>
    until(async () => {
      const now = await this.ask('GET', `deployments/${deployment}`)
      return now.state !== 'starting' && now
    })

  /** A run once it has ended; the service may be away meanwhile. */
  ended = (run: unknown): Promise<Record<string, unknown>> =>
    until(async () => {
      const now = await this.ask('GET', `runs/${run}`).catch(() => ({ endedAt: undefined }))
      return now.endedAt !== undefined && now
    })
}
