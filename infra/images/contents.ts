/** What goes into images: programs with their shared libraries, and Python with its standard library. */
import { execFileSync } from 'node:child_process'
import { existsSync, realpathSync } from 'node:fs'
import { type Entries, type Entry, tree } from '@hivemind/packaging'

/** Who there is in an image, and a place for temporary files. */
export const people: Entries = new Map([
  ['/etc/passwd', { text: 'root:x:0:0:root:/:/\nfunction:x:65532:65532:function:/tmp:/\n' }],
  ['/etc/group', { text: 'root:x:0:\nfunction:x:65532:\n' }],
  ['/etc/nsswitch.conf', { text: 'hosts: files dns\n' }],
  ['/tmp', { folder: 0o1777 }],
])

/** A program or library at a path in the image, with the shared libraries that the loader finds for it on this machine. */
export function program(file: string, target: string): Entries {
  return new Map([[target, { file: realpathSync(file), mode: 0o755 } as Entry], ...librariesOf(file)])
}

function librariesOf(file: string): Entries {
  const entries: Entries = new Map()
  const told = execFileSync('ldd', [file], { encoding: 'utf8' })
  for (const [, library = ''] of told.matchAll(/(?:=> |^\s+)(\/\S+)/gm))
    entries.set(library, { file: realpathSync(library), mode: 0o755 })
  return entries
}

/** Debian's Python with its standard library. Throws when it is not there. */
export function python(): Entries {
  const binary = '/usr/bin/python3'
  if (!existsSync(binary)) throw new Error('There is no /usr/bin/python3: install python3 with apt-get.')
  const paths = execFileSync(binary, ['-I', '-c', 'import sysconfig; print(sysconfig.get_path("stdlib"))'], {
    encoding: 'utf8',
  })
  const stdlib = paths.trim()
  const entries: Entries = new Map([...program(binary, binary), ...tree(stdlib, stdlib)])
  for (const [, entry] of [...entries])
    if ('file' in entry && entry.file.endsWith('.so'))
      for (const [key, value] of librariesOf(entry.file)) entries.set(key, value)
  return entries
}
