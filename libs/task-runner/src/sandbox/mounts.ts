/** What of the disk task code can read: the system's programs and libraries, its runtime, and its bundle. */
import { existsSync, lstatSync, readFileSync, readlinkSync, realpathSync } from 'node:fs'
import path from 'node:path'

/** A file or folder of the machine that can be read at `at`, or a symbolic link there. */
export type Mount = { at: string; source: string } | { at: string; link: string }

const PROGRAMS_AND_LIBRARIES = [
  ...['bin', 'sbin', 'lib', 'lib32', 'lib64', 'libexec', 'share'].map((name) => `/usr/${name}`),
  ...['bin', 'lib', 'lib64', 'share'].map((name) => `/usr/local/${name}`),
]
/** Folders at the root that are links into /usr on most systems. */
const ROOT_FOLDERS = ['/bin', '/sbin', '/lib', '/lib32', '/lib64']
const SYSTEM_FILES = ['/etc/ld.so.cache', '/etc/alternatives', '/etc/localtime', '/etc/mime.types']
/** How names are looked up and certificates checked. */
const NETWORK_FILES = [
  '/etc/resolv.conf',
  '/etc/hosts',
  '/etc/nsswitch.conf',
  '/etc/gai.conf',
  '/etc/ssl/certs',
  '/etc/ssl/openssl.cnf',
  '/etc/ca-certificates',
  '/etc/pki',
]

/** Same path inside as outside. */
export const inPlace = (source: string): Mount => ({ at: source, source })

/** What every program needs, and with `network` what it needs to reach others. */
export function systemMounts(network: boolean): Mount[] {
  const roots = ROOT_FOLDERS.filter((folder) => existsSync(folder)).map(
    (folder): Mount =>
      lstatSync(folder).isSymbolicLink() ? { at: folder, link: readlinkSync(folder) } : inPlace(folder),
  )
  const files = network ? [...SYSTEM_FILES, ...NETWORK_FILES] : SYSTEM_FILES
  const there = [...PROGRAMS_AND_LIBRARIES, ...files].filter((each) => existsSync(each))
  return [...there.map(inPlace), ...roots]
}

/** The mounts as arguments of bubblewrap, parents first, without what a parent has already. */
export function mountArguments(mounts: readonly Mount[]): string[] {
  const sorted = [...mounts].sort((a, b) => (a.at < b.at ? -1 : 1))
  const open = new Set<string>()
  return sorted.flatMap((mount) => {
    if (isCovered(mount.at, open)) return []
    open.add(mount.at)
    return 'link' in mount ? ['--symlink', mount.link, mount.at] : ['--ro-bind', mount.source, mount.at]
  })
}

function isCovered(at: string, open: ReadonlySet<string>): boolean {
  for (let folder = at; ; folder = path.dirname(folder)) {
    if (open.has(folder)) return true
    if (folder === path.dirname(folder)) return false
  }
}

/** The files of the package that contains `file`, and the packages it depends on, as far as they are installed. */
export function packageMounts(file: string): Mount[] {
  const mounts = new Map<string, Mount>()
  const add = (folder: string): void => {
    if (mounts.has(folder)) return
    mounts.set(folder, inPlace(folder))
    const { dependencies = {}, optionalDependencies = {} } = JSON.parse(
      readFileSync(path.join(folder, 'package.json'), 'utf8'),
    ) as Record<'dependencies' | 'optionalDependencies', Record<string, string> | undefined>
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const installed = findUp(folder, path.join('node_modules', name))
      if (installed === undefined) continue
      const real = realpathSync(installed)
      if (real !== installed) mounts.set(installed, { at: installed, link: real })
      add(real)
    }
  }
  const manifest = findUp(path.dirname(realpathSync(file)), 'package.json')
  if (manifest !== undefined) add(path.dirname(manifest))
  return [...mounts.values()]
}

/** The nearest `name` in `folder` or above it. */
function findUp(folder: string, name: string): string | undefined {
  const found = path.join(folder, name)
  if (existsSync(found)) return found
  const parent = path.dirname(folder)
  return parent === folder ? undefined : findUp(parent, name)
}
