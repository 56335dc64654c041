/** Certificates of the tests, made by OpenSSL. */
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** A certificate and its key, as PEM texts. */
export interface Certificate {
  cert: string
  key: string
}

/** An authority, and what it vouches for. */
export interface Authority {
  ca: string
  /** Makes a certificate for names such as `IP:127.0.0.1` or `DNS:edge.example`. */
  issue(names: string): Promise<Certificate>
  remove(): Promise<void>
}

/** Makes an authority. */
export async function makeAuthority(): Promise<Authority> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'hivemind-ca-'))
  const at = (name: string) => path.join(folder, name)
  const openssl = (...args: string[]) => run('openssl', args)
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
  const authority = [
    '-addext',
    'basicConstraints=critical,CA:TRUE',
    '-addext',
    'keyUsage=critical,keyCertSign',
  ]
  await openssl(
    'req',
    '-x509',
    ...curve,
    '-keyout',
    at('ca.key'),
    '-out',
    at('ca.pem'),
    '-subj',
    '/CN=test authority',
    ...authority,
  )
  let issued = 0
  return {
    ca: await readFile(at('ca.pem'), 'utf8'),
    async issue(names) {
      const name = `issued-${++issued}`
      const [key, request, cert, extension] = ['key', 'csr', 'pem', 'ext'].map((end) =>
        at(`${name}.${end}`),
      ) as [string, string, string, string]
      await openssl(
        'req',
        '-new',
        ...curve.slice(0, 5),
        '-keyout',
        key,
        '-out',
        request,
        '-subj',
        `/CN=${name}`,
      )
      await writeFile(extension, `subjectAltName=${names}\n`)
      await openssl(
        ...['x509', '-req', '-in', request, '-CA', at('ca.pem'), '-CAkey', at('ca.key'), '-CAcreateserial'],
        ...['-out', cert, '-days', '2', '-extfile', extension],
      )
      return { cert: await readFile(cert, 'utf8'), key: await readFile(key, 'utf8') }
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}
