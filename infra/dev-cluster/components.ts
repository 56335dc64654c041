/** Makes the images of the cluster's components out of what `build.sh` compiled; those that are newer are left. */
import { statSync } from 'node:fs'
import path from 'node:path'
import type { Entries } from '@hivemind/packaging'
import { type ImageSpec, writeImage } from '../images/archive.ts'
import { people, program } from '../images/contents.ts'

const { BIN = '', IMAGES = '' } = process.env
const bin = (name: string): string => path.join(BIN, name)
const only = (file: string, target: string): Entries => new Map([[target, { file, mode: 0o755 }]])

interface Component extends Omit<ImageSpec, 'entries'> {
  /** Its program of those that were compiled. */
  made: string
  entries: Entries
}

const serving = ['controller', 'webhook', 'autoscaler', 'activator', 'queue'].map(
  (name): Component => ({
    made: `kn-${name}`,
    name: `dev.local/kn/${name}:1`,
    entries: new Map([
      ...people,
      ...only(bin(`kn-${name}`), `/ko-app/${name}`),
      ['/var/run/ko', { folder: 0o755 }],
    ]),
    entrypoint: [`/ko-app/${name}`],
    env: ['PATH=/ko-app', 'KO_DATA_PATH=/var/run/ko'],
    user: '65532',
  }),
)
const components: Component[] = [
  ...serving,
  {
    made: 'pause',
    name: 'dev.local/pause:1',
    entries: only(bin('pause'), '/pause'),
    entrypoint: ['/pause'],
    user: '65532',
  },
  {
    made: 'kourier',
    name: 'dev.local/kn/kourier:1',
    entries: new Map([...people, ...only(bin('kourier'), '/ko-app/kourier')]),
    entrypoint: ['/ko-app/kourier'],
    user: '65532',
  },
  {
    made: 'coredns',
    name: 'dev.local/coredns:1',
    entries: new Map([...people, ...only(bin('coredns'), '/coredns')]),
    entrypoint: ['/coredns'],
    user: '0',
  },
  {
    made: 'envoy',
    name: 'dev.local/envoy:1',
    entries: new Map([...people, ...program(bin('envoy'), '/usr/local/bin/envoy')]),
    entrypoint: ['/usr/local/bin/envoy'],
    user: '65534',
  },
]

const timeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0

for (const { made, ...spec } of components) {
  const file = path.join(IMAGES, `${made}.tar`)
  if (timeOf(file) <= timeOf(bin(made))) await writeImage(file, spec)
}
