import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { FabricError } from './error.ts'
import type { Command } from './process.ts'

/** The tools of the hardware, as `npm run hdl:setup` installs them into the project. */
export class Toolchain {
  /** Folder of the hardware's sources. */
  readonly sources: string
  readonly #cache: string

  /** @param root the project's folder: `HIVEMIND_FABRIC_PROJECT`, or the one that this file is in */
  constructor(root: string = usualProject()) {
    this.sources = path.join(root, 'hdl-spinal')
    this.#cache = path.join(root, '.cache')
  }

  /** One of Yosys, nextpnr-ecp5, ecppack and ecpunpack. Throws `tool-missing` with how to get it. */
  fpga(tool: 'yosys' | 'nextpnr-ecp5' | 'ecppack' | 'ecpunpack', args: string[], cwd: string): Command {
    const folder = path.join(this.#cache, 'hdl-tools')
    const file = path.join(folder, 'bin', `yowasp-${tool}`)
    if (!existsSync(file)) throw missing(tool)
    const env = { ...process.env, YOWASP_CACHE_DIR: path.join(folder, 'compiled') }
    return { file, args, cwd, env }
  }

  /** The generator, through sbt. Throws `tool-missing` with how to get it. */
  generator(args: string[]): Command {
    const folder = path.join(this.#cache, 'hdl')
    const launcher = existsSync(folder)
      ? readdirSync(folder).find((name) => /^sbt-launch-.*\.jar$/.test(name))
      : undefined
    if (!launcher) throw missing('sbt')
    const flags = ['-Xmx2g', '-Dsbt.color=false', '-Dsbt.supershell=false', '-Dsbt.server.autostart=false']
    const run = `runMain hivemind.fabric.Generate ${args.join(' ')}`
    return {
      file: 'java',
      args: [...flags, '-jar', path.join(folder, launcher), run],
      cwd: this.sources,
    }
  }

  /** A hash of all that the generator is made of: its sources and its build. */
  generatorHash(): string {
    const main = path.join(this.sources, 'src/main')
    const files = readdirSync(main, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => path.join(entry.parentPath, entry.name))
    const build = ['build.sbt', 'project/build.properties'].map((file) => path.join(this.sources, file))
    return hashOf(
      [...files, ...build].sort().flatMap((file) => [path.relative(this.sources, file), readFileSync(file)]),
    )
  }

  /** Versions of the tools, as they are pinned. */
  versions(): Record<string, string> {
    const pins = readFileSync(path.join(this.sources, 'requirements.txt'), 'utf8')
    return Object.fromEntries(
      [...pins.matchAll(/^(yowasp-(?:yosys|nextpnr-ecp5))==(\S+)/gm)].map(([, name, version]) => [
        name,
        version,
      ]),
    )
  }
}

const usualProject = (): string =>
  process.env.HIVEMIND_FABRIC_PROJECT ?? path.resolve(import.meta.dirname, '../../..')

const missing = (tool: string): FabricError =>
  new FabricError(
    'tool-missing',
    `${tool} is missing: \`npm run hdl:setup\` installs the tools of the fabric.`,
  )

/** The sha-256 of several contents, in hexadecimal. */
export function hashOf(contents: (string | Uint8Array)[]): string {
  const hash = createHash('sha256')
  for (const each of contents) {
    const bytes = Buffer.from(each)
    hash.update(`${bytes.length}\0`).update(bytes)
  }
  return hash.digest('hex')
}

/** The sha-256 of a file, as `sha256sum` prints it. */
export const fileHash = (file: string): string =>
  createHash('sha256').update(readFileSync(file)).digest('hex')
