/** Fits the published manifests of Knative Serving and Kourier to the images, the size and the names of the cluster here. */
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { parse, parseAllDocuments, stringify } from 'yaml'

interface Container {
  image: string
  args?: string[]
  resources?: unknown
  lifecycle?: unknown
  livenessProbe?: unknown
  readinessProbe?: Record<string, unknown>
}

interface Manifest {
  kind: string
  metadata: { name: string }
  data?: Record<string, string>
  spec?: {
    image?: string
    type?: string
    ports?: { nodePort?: number }[]
    template?: { spec: { containers: Container[] } }
  }
}

const folder = process.env.MANIFESTS ?? ''
const INGRESS_PORT = 31080
/** There are no metrics here to scale these by, and one node. */
const LEFT_OUT = ['HorizontalPodAutoscaler', 'PodDisruptionBudget', 'CustomResourceDefinition']

const own = (image: string): string =>
  image.replace(/^\S*knative\.dev\/serving\/cmd\/([a-z-]+)@sha256:[0-9a-f]+$/, 'dev.local/kn/$1:1')

const SETTINGS: Record<string, Record<string, string>> = {
  'config-deployment': { 'registries-skipping-tag-resolving': 'dev.local' },
  'config-domain': { 'kn.test': '' },
  'config-network': { 'ingress-class': 'kourier.ingress.networking.knative.dev' },
  'config-features': { 'kubernetes.podspec-nodeselector': 'enabled' },
  'config-autoscaler': { 'stable-window': '15s', 'scale-to-zero-grace-period': '10s' },
}

function serving(manifest: Manifest): void {
  const { kind, metadata, spec } = manifest
  if (kind === 'Image' && spec?.image) spec.image = own(spec.image)
  for (const container of spec?.template?.spec.containers ?? []) {
    container.image = own(container.image)
    delete container.resources
  }
  if (kind !== 'ConfigMap') return
  const data = { ...manifest.data, ...SETTINGS[metadata.name] }
  const sidecar = data['queue-sidecar-image']
  if (sidecar) data['queue-sidecar-image'] = own(sidecar)
  manifest.data = data
}

function kourier(manifest: Manifest): void {
  const { kind, metadata, spec } = manifest
  if (metadata.name === 'kourier-bootstrap' && manifest.data) {
    const bootstrap = parse(manifest.data['envoy-bootstrap.yaml'] ?? '') as Record<string, unknown>
    bootstrap.layered_runtime = {
      layers: [{ name: 'static', static_layer: { 'envoy.features.enable_all_deprecated_features': true } }],
    }
    manifest.data['envoy-bootstrap.yaml'] = stringify(bootstrap)
  }
  if (kind === 'Service' && metadata.name === 'kourier' && spec) {
    spec.type = 'NodePort'
    const [http] = spec.ports ?? []
    if (http) http.nodePort = INGRESS_PORT
  }
  const container = spec?.template?.spec.containers[0]
  if (!container) return
  delete container.resources
  if (metadata.name === 'net-kourier-controller') {
    container.image = 'dev.local/kn/kourier:1'
    container.readinessProbe = {
      exec: { command: ['/ko-app/kourier', '-probe-addr=:18000'] },
      periodSeconds: 2,
    }
    delete container.livenessProbe
  } else {
    container.image = 'dev.local/envoy:1'
    container.readinessProbe = { ...container.readinessProbe, initialDelaySeconds: 1, periodSeconds: 2 }
    container.args = ['--base-id', '1', '-c', '/tmp/config/envoy-bootstrap.yaml', '--log-level', 'info']
    // It runs a shell, which its image here has not.
    delete container.lifecycle
  }
}

function fit(from: string, to: string, change: (manifest: Manifest) => void): void {
  const all = parseAllDocuments(readFileSync(path.join(folder, from), 'utf8'))
  const kept = all
    .map((document) => document.toJS() as Manifest | null)
    .filter((each): each is Manifest => each !== null && !LEFT_OUT.includes(each.kind))
  for (const each of kept) change(each)
  writeFileSync(
    path.join(folder, to),
    kept.map((each) => stringify(each, { aliasDuplicateObjects: false })).join('---\n'),
  )
}

fit('2-serving-core.yaml', 'serving.yaml', serving)
fit('3-kourier.yaml', 'kourier.yaml', kourier)
